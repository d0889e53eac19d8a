//! A page of the guide that belongs to the reference: the mistakes that do not compile. The other pages are in the folder
//! `book` of the repository.

pub mod mistakes {
    #![doc = include_str!("mistakes.md")]
}
