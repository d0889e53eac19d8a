//! The message should say: `guard_operation` has two type parameters, the operation and the function. Leave the second one to
//! the compiler: write `guard_operation::<Render, _>(…)`.

use exo_rails::prelude::*;
use exo_rails::Operation;

#[derive(Clone, Debug)]
struct Scene {
    triangles: u64,
}

#[derive(Debug)]
struct Picture(Vec<u8>);

#[derive(Operation)]
#[operation(inputs = Scene, output = Picture)]
struct Render;

#[rail(priority = 10, on = [PreRender])]
fn small_scenes(scene: &Scene) -> Verdict {
    Verdict::abort_if(scene.triangles > 1_000_000, "the scene is too large for the preview")
}

rail_chain! {
    #[chain(operations = [Render])]
    struct StudioRails { small_scenes }
}

async fn render(scene: Permit<Scene>) -> Result<Picture, OperationError> {
    Ok(Picture(vec![0; usize::try_from(scene.triangles).unwrap_or_default()]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("studio");
    let picture = StudioRails.guard_operation::<Render>(Scene { triangles: 12 }, &mut ctx, render).await?; // <- here
    assert_eq!(picture.0.len(), 12);
    Ok(())
}
