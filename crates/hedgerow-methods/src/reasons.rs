//! Reasons of answers, in terms of the columns of the file.

use hedgerow::data::Preprocessing;
use hedgerow::params::Value;

/// Gives the features that a reason speaks of the names that they have in the file, or their numbers
/// there, from 1, if they have none.
pub fn name_columns(told: &mut Value, preprocessing: &Preprocessing, names: Option<&[String]>) {
    // A category that became codes has no name of its own.
    let names = names.filter(|_| preprocessing.coding().is_none());
    let Value::Table(facts) = told else { return };
    let lists = facts.iter_mut().filter_map(|(name, value)| match value {
        Value::List(parts) if name == "distance_by_column" => Some(parts),
        _ => None,
    });
    let tables = lists.flatten().filter_map(|part| match part {
        Value::Table(entries) => Some(entries),
        _ => None,
    });
    for (name, value) in tables.flatten() {
        let &mut Value::Whole(number) = value else {
            continue;
        };
        if name != "column" {
            continue;
        }
        let seen = number.saturating_sub(1) as usize;
        let chosen = preprocessing.chosen();
        let place = chosen.map_or(seen, |all| all.get(seen).map_or(seen, |&f| f as usize));
        *value = match names.and_then(|names| names.get(place)) {
            Some(name) => Value::Text(name.clone()),
            None => Value::Whole(place as u64 + 1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::name_columns;
    use hedgerow::data::Preprocessing;
    use hedgerow::params::Value;

    fn reason(column: Value) -> Value {
        let part = Value::Table(vec![("column".to_owned(), column)]);
        let list = Value::List(vec![part]);
        Value::Table(vec![("distance_by_column".to_owned(), list)])
    }

    #[test]
    fn features_are_called_as_in_the_file() {
        let kept = Preprocessing::Weighted {
            n_features: 3,
            features: vec![0, 2],
            factors: vec![1.0, 2.0],
            scaler: None,
        };
        let names = ["a", "b", "c"].map(str::to_owned);
        let mut told = reason(Value::Whole(2));
        name_columns(&mut told, &kept, Some(&names));
        assert_eq!(told, reason(Value::Text("c".to_owned())));
        let mut told = reason(Value::Whole(2));
        name_columns(&mut told, &kept, None);
        assert_eq!(told, reason(Value::Whole(3)));
        let mut told = reason(Value::Whole(2));
        name_columns(&mut told, &Preprocessing::None, None);
        assert_eq!(told, reason(Value::Whole(2)));
    }
}
