//! Values and facts as JSON.

use hedgerow::params::Value;
use serde_json::{Map, json};

/// A value for machines.
pub(crate) fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Nothing => serde_json::Value::Null,
        Value::Flag(flag) => json!(flag),
        Value::Whole(whole) => json!(whole),
        Value::Number(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(values) => values.iter().map(json).collect(),
        Value::Table(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(name, value)| (name.clone(), json(value)));
            serde_json::Value::Object(entries.collect())
        }
    }
}

/// A parameter as people read it: numbers go out as numbers.
pub(crate) fn of_text(text: &str) -> serde_json::Value {
    if let Ok(whole) = text.parse::<u64>() {
        return json!(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => json!(text),
    }
}

/// Named facts as the fields of an object.
pub(crate) fn fields(facts: &[(&'static str, Value)]) -> Map<String, serde_json::Value> {
    let facts = facts.iter();
    facts
        .map(|(name, value)| ((*name).to_owned(), json(value)))
        .collect()
}
