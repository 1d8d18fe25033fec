//! What editors read of the examples, as the first lines of their specs say.

use std::path::Path;

#[test]
fn schemas_of_specs_are_what_the_keys_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for (name, made) in [("spec", super::json_schema()), ("suite", super::suite_schema())] {
        let path = folder.join(format!("{name}.json"));
        let made = format!("{made:#}\n");
        if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == made, "{} is out of date", path.display());
    }
}
