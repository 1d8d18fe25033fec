//! How a type is written as JSON and read back, declared once.

/// How a type is written as JSON and read back, and by serde through that.
///
/// A struct lists its fields in the order in which they are written. `field?` is left out where it is empty;
/// `field: default` is always written and may be absent when it is read, as an `Option` may always be; `field = "key"`
/// has another name in JSON. Of a `strict struct` other keys than these are errors. An enum lists its variants,
/// each with its name in JSON.
#[macro_export]
#[doc(hidden)]
macro_rules! as_json {
    (strict struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::write_json!(struct $name { $($fields)* });
        $crate::internal::json::read_json!(strict struct $name { $($fields)* });
    };
    ($kind:ident $name:ident { $($parts:tt)* }) => {
        $crate::internal::json::write_json!($kind $name { $($parts)* });
        $crate::internal::json::read_json!($kind $name { $($parts)* });
    };
}
pub use as_json;

/// The same, read back only where a crate has the feature `read`.
#[macro_export]
#[doc(hidden)]
macro_rules! as_json_with_feature {
    ($kind:ident $name:ident { $($parts:tt)* }) => {
        $crate::internal::json::write_json!($kind $name { $($parts)* });
        #[cfg(feature = "read")]
        $crate::internal::json::read_json!($kind $name { $($parts)* });
    };
}
pub use as_json_with_feature;

/// A struct that is written as JSON and read back, each of its fields declared once: the type, the two halves of `as_json`,
/// and, where a crate has the feature `schemars`, its JSON Schema.
///
/// A field stands as in a struct, in the order in which it is written. `field?` is left out where it says nothing,
/// `field = "key"` has another name in JSON, and `field: Type = default` may be absent when it is read.
///
/// A `write struct` is written only, for it holds what JSON cannot say. Its `field!` is not written. A `whole struct` or
/// `whole enum` is read back only where the crate has the feature `read`: a test run reads gates, which its processes
/// share, and never a whole report.
///
/// An enum is declared likewise: each variant is followed by its name in JSON, and what a tuple variant holds has names.
#[macro_export]
#[doc(hidden)]
macro_rules! record {
    ($(#[$about:meta])* write $visible:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::record!(@struct write_json [$(#[$about])*] [$visible] $name { $($fields)* });
    };
    ($(#[$about:meta])* whole $visible:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::record!(@struct as_json_with_feature [$(#[$about])*] [$visible] $name { $($fields)* });
    };
    ($(#[$about:meta])* $visible:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::internal::json::record!(@struct as_json [$(#[$about])*] [$visible] $name { $($fields)* });
    };
    (
        @struct $as_json:ident [$(#[$about:meta])*] [$visible:vis] $name:ident {$(
            $(#[$meaning:meta])*
            $shown:vis $field:ident
            $(? $(@ $spared:tt)?)? $(! $(@ $never:tt)?)?
            $(= $key:literal)?: $type:ty $(= $default:ident)?
        ),+ $(,)?}
    ) => {
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        $(#[$about])*
        $visible struct $name {$(
            $(#[$meaning])*
            $(
                #[cfg_attr(
                    feature = "schemars",
                    serde(skip_serializing_if = "rankgate_core::internal::json::ToJson::says_nothing")
                )]
                $($spared)?
            )?
            $(#[cfg_attr(feature = "schemars", serde(skip))] $($never)?)?
            $(#[cfg_attr(feature = "schemars", serde(rename = $key))])?
            $(#[cfg_attr(feature = "schemars", serde($default))])?
            $shown $field: $type,
        )+}

        $crate::internal::json::$as_json!(struct $name {$(
            $field $(= $key)? $(: $default)? $(? $($spared)?)? $(! $($never)?)?
        ),+});
    };
    ($(#[$about:meta])* whole $visible:vis enum $name:ident { $($variants:tt)* }) => {
        $crate::internal::json::record!(@enum as_json_with_feature [$(#[$about])*] [$visible] $name { $($variants)* });
    };
    ($(#[$about:meta])* $visible:vis enum $name:ident { $($variants:tt)* }) => {
        $crate::internal::json::record!(@enum as_json [$(#[$about])*] [$visible] $name { $($variants)* });
    };
    (
        @enum $as_json:ident [$(#[$about:meta])*] [$visible:vis] $name:ident {$(
            $(#[$meaning:meta])*
            $variant:ident
            $(( $($part:ident: $held:ty),+ ))?
            $({$( $(#[$detail:meta])* $field:ident $(? $(@ $spared:tt)?)?: $type:ty ),+ $(,)?})?
            = $word:literal
        ),+ $(,)?}
    ) => {
        $(#[$about])*
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        $visible enum $name {$(
            $(#[$meaning])*
            #[cfg_attr(feature = "schemars", serde(rename = $word))]
            $variant $(( $($held),+ ))? $({$(
                $(#[$detail])*
                $(
                    #[cfg_attr(
                        feature = "schemars",
                        serde(skip_serializing_if = "rankgate_core::internal::json::ToJson::says_nothing")
                    )]
                    $($spared)?
                )?
                $field: $type,
            )+})?,
        )+}

        $crate::internal::json::$as_json!(enum $name {$(
            $word => $variant $({ $($field $(? $($spared)?)?),+ })? $(( $($part),+ ))?,
        )+});
    };
}
pub use record;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    #[derive(Debug, Default, PartialEq)]
    struct Part {
        p50: f64,
        name: String,
        rank: Option<usize>,
        best: Option<usize>,
        count: u64,
        parts: Vec<Kind>,
        by_name: BTreeMap<String, [u64; 2]>,
    }

    as_json!(struct Part { name, p50 = "p50_ms", rank?, best, count: default, parts?, by_name? });

    #[derive(Debug, PartialEq)]
    enum Kind {
        Nothing,
        OneOf(String),
        Two(usize, i32),
        Both { part: Box<Part>, is_so: bool },
    }

    as_json!(enum Kind {
        "nothing" => Nothing,
        "one-of" => OneOf(text),
        "two" => Two(a, b),
        "both" => Both { part, is_so? },
    });

    #[derive(Debug, PartialEq)]
    struct Few {
        any: Value,
    }

    as_json!(strict struct Few { any });

    #[test]
    fn what_is_written_is_read_back() {
        let inner = Part { name: "inner".to_owned(), p50: -0.0, rank: Some(3), ..Part::default() };
        let parts = vec![
            Kind::Nothing,
            Kind::OneOf("x".to_owned()),
            Kind::Two(1, -2),
            Kind::Both { part: Box::new(inner), is_so: true },
            Kind::Both { part: Box::default(), is_so: false },
        ];
        let by_name = [("a".to_owned(), [1, u64::MAX])].into();
        let part =
            Part { name: "outer".to_owned(), p50: 0.1, best: Some(0), parts, by_name, ..Part::default() };
        let text = serde_json::to_string(&part).unwrap();
        let inner = r#"{"part":{"name":"inner","p50_ms":-0.0,"rank":3,"best":null,"count":0},"is_so":true}"#;
        let blank = r#"{"part":{"name":"","p50_ms":0.0,"best":null,"count":0}}"#;
        let parts =
            format!(r#"["nothing",{{"one-of":"x"}},{{"two":[1,-2]}},{{"both":{inner}}},{{"both":{blank}}}]"#);
        let by_name = r#"{"a":[1,18446744073709551615]}"#;
        let expected = r#"{"name":"outer","p50_ms":0.1,"best":0,"count":0,"#.to_owned()
            + &format!(r#""parts":{parts},"by_name":{by_name}}}"#);
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Part>(&text).unwrap(), part);
        let value = serde_json::to_value(&part).unwrap();
        assert_eq!(serde_json::from_value::<Part>(value).unwrap(), part);
    }

    record! {
        /// Its fields told once.
        #[derive(Debug, Default, PartialEq)]
        struct Once {
            /// Always there.
            name: String,
            rank?: Option<usize>,
            p50 = "p50_ms": f64,
            p95? = "p95_ms": Option<f64>,
            count: u64 = default,
            words?: Vec<String>,
        }
    }

    #[test]
    fn a_record_is_written_and_read_back_as_its_fields_say() {
        let full = Once {
            name: "a".to_owned(),
            rank: Some(2),
            p50: 1.5,
            p95: Some(2.5),
            count: 3,
            words: vec!["w".to_owned()],
        };
        let text = serde_json::to_string(&full).unwrap();
        assert_eq!(text, r#"{"name":"a","rank":2,"p50_ms":1.5,"p95_ms":2.5,"count":3,"words":["w"]}"#);
        assert_eq!(serde_json::from_str::<Once>(&text).unwrap(), full);
        let least = serde_json::from_str::<Once>(r#"{"name": "", "p50_ms": 0}"#).unwrap();
        assert_eq!(least, Once::default());
        assert_eq!(serde_json::to_string(&least).unwrap(), r#"{"name":"","p50_ms":0.0,"count":0}"#);
        let error = serde_json::from_str::<Once>(r#"{"name": ""}"#).unwrap_err().to_string();
        assert!(error.starts_with("missing field `p50_ms`"), "{error}");
    }

    record! {
        /// Written only.
        write struct Written {
            score: f64,
            secret!: String,
        }
    }

    #[test]
    fn a_field_that_is_not_for_json_is_not_written() {
        let written = Written { score: f64::INFINITY, secret: "s".to_owned() };
        assert_eq!(serde_json::to_string(&written).unwrap(), r#"{"score":null}"#);
    }

    #[test]
    #[cfg(feature = "schemars")]
    fn the_schema_of_a_record_says_what_may_be_left_out() {
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Once>();
        let schema = serde_json::to_value(&schema).unwrap();
        let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["count", "name", "p50_ms", "p95_ms", "rank", "words"]);
        assert_eq!(schema["required"], serde_json::json!(["name", "p50_ms", "count"]));
        assert_eq!(schema["properties"]["name"]["description"], "Always there.");
    }

    #[test]
    fn keys_that_nobody_knows_are_errors_where_a_type_is_strict() {
        let few = serde_json::from_str::<Few>(r#"{"any": {"b": [1, null]}}"#).unwrap();
        assert_eq!(serde_json::to_string(&few).unwrap(), r#"{"any":{"b":[1,null]}}"#);
        let error = serde_json::from_str::<Few>(r#"{"other": 1}"#).unwrap_err().to_string();
        assert!(error.starts_with("unknown field `other`, expected one of `any`"), "{error}");
        assert!(serde_json::from_str::<Part>(r#"{"name": "", "p50_ms": 1, "other": 1}"#).is_ok());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (text, why) in [
            ("[]", "invalid type: sequence, expected an object"),
            ("{}", "missing field `name`"),
            (r#"{"name": "a", "p50_ms": null}"#, "p50_ms: invalid type: null, expected f64"),
            (
                r#"{"name": "a", "p50_ms": 1, "rank": -1}"#,
                "rank: invalid value: integer `-1`, expected usize",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": [3]}"#,
                "parts[0]: invalid type: integer `3`, expected a word or",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": ["none"]}"#,
                "parts[0]: `none` is none of nothing, one-of, two",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": [{"two": [1]}]}"#,
                "parts[0]: invalid length 1, expected 2",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "parts": [{"both": {"part": {"name": 1}}}]}"#,
                "parts[0].part.name: invalid type: integer `1`, expected a string",
            ),
            (
                r#"{"name": "a", "p50_ms": 1, "by_name": {"x": [1, "2"]}}"#,
                "by_name.x[1]: invalid type: string",
            ),
            (r#"{"name": "a", "name": "b"}"#, "`name` occurs twice"),
        ] {
            let error = serde_json::from_str::<Part>(text).unwrap_err().to_string();
            assert!(error.starts_with(why), "{text}: {error}");
        }
    }
}
