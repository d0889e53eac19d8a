//! The message should say: `Login`, which provides `User`, may be absent.

use exo_rails::prelude::*;

#[derive(Provided)]
struct User(String);

struct Login;

#[rail(priority = 10)]
impl Login {
    #[on(Start, provides = [User])]
    fn login(&self, run: &InvokeInputs) -> User {
        User(run.input.text().into_owned())
    }
}

#[rail(priority = 20, on = [Start], needs = [User])]
fn greet(user: &User) {
    println!("{}", user.0);
}

rail_chain! {
    struct MyRails { login: Option<Login>, greet }
}

fn main() {
    let _ = MyRails { login: None };
}
