//! How CEL sees an object: a view that borrows, and converts only what an expression touches.
//!
//! An object offers its six link maps under the paper's names (`plinks`, `clinks`, …), its
//! `address`, `id`, `type` and `network`, and every association directly by its name. A key that
//! is not there is an error that carries the whole path, which the judge turns into "cannot tell".

use std::collections::BTreeMap;
use std::fmt::Debug;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Sizer};
use cel::common::types::{CelBool, CelDouble, CelInt, CelList, CelString, MAP_TYPE, Type};
use cel::common::value::{CowVal, Val};
use freshet_types::{Object, Primitive};

static OBJECT_TYPE: Type = Type::new_unspecified_type("object");
static LINKS_TYPE: Type = MAP_TYPE;

/// An object, with the path by which the expression reached it.
pub(super) fn object<'b, 'v>(object: &'v Object, path: &str) -> CowVal<'b, 'v> {
    CowVal::owned(ObjectView { object, path: path.to_owned() })
}

/// A whole number.
pub(super) fn int<'b, 'v>(number: i64) -> CowVal<'b, 'v> {
    CowVal::owned(CelInt::from(number))
}

#[derive(Clone, Debug)]
struct ObjectView<'o> {
    object: &'o Object,
    path: String,
}

/// One of the six maps of an object.
#[derive(Clone, Debug)]
struct LinksView<'o, T> {
    links: &'o BTreeMap<String, T>,
    path: String,
}

/// What a link of some kind looks like to CEL.
trait Shown: Debug + Send + Sync {
    fn show<'v>(&'v self, path: String) -> Box<dyn Val + 'v>;
}

impl Shown for Primitive {
    fn show<'v>(&'v self, _path: String) -> Box<dyn Val + 'v> {
        match self {
            Self::Bool(truth) => Box::new(CelBool::from(*truth)),
            Self::Int(number) => Box::new(CelInt::from(*number)),
            Self::Float(number) => Box::new(CelDouble::from(*number)),
            Self::Text(text) => Box::new(CelString::from(text.as_str())),
        }
    }
}

impl Shown for Object {
    fn show<'v>(&'v self, path: String) -> Box<dyn Val + 'v> {
        Box::new(ObjectView { object: self, path })
    }
}

impl Shown for Vec<Object> {
    fn show<'v>(&'v self, path: String) -> Box<dyn Val + 'v> {
        let show = |object: &'v Object| -> Box<dyn Val + 'v> {
            Box::new(ObjectView { object, path: format!("{path}[…]") })
        };
        Box::new(CelList::from(self.iter().map(show).collect::<Vec<_>>()))
    }
}

fn key_text(key: &dyn Val) -> Result<&str, ExecutionError> {
    match key.downcast_ref::<CelString<'_>>() {
        Some(text) => Ok(text.inner()),
        None => Err(ExecutionError::UnexpectedType {
            got: key.get_type().name().to_owned(),
            want: "string".to_owned(),
        }),
    }
}

impl<'o> ObjectView<'o> {
    fn part<'v>(&self, name: &str) -> Option<Box<dyn Val + 'v>>
    where
        'o: 'v,
    {
        let object = self.object;
        let path = || format!("{}.{name}", self.path);
        Some(match name {
            "plinks" => Box::new(LinksView { links: &object.plinks, path: path() }),
            "clinks" => Box::new(LinksView { links: &object.clinks, path: path() }),
            "colinks" => Box::new(LinksView { links: &object.colinks, path: path() }),
            "splinks" => Box::new(LinksView { links: &object.splinks, path: path() }),
            "sclinks" => Box::new(LinksView { links: &object.sclinks, path: path() }),
            "scolinks" => Box::new(LinksView { links: &object.scolinks, path: path() }),
            "id" => Box::new(CelString::from(object.address.id.as_str())),
            "type" => Box::new(CelString::from(&*object.address.kind)),
            "network" => Box::new(CelString::from(object.address.network.as_str())),
            "address" => Box::new(CelString::from(object.address.to_string())),
            _ => return self.association(name, path),
        })
    }

    fn association<'v>(&self, name: &str, path: impl Fn() -> String) -> Option<Box<dyn Val + 'v>>
    where
        'o: 'v,
    {
        let object = self.object;
        let value = |links: &'o BTreeMap<String, Primitive>| links.get(name).map(|value| value.show(path()));
        let one = |links: &'o BTreeMap<String, Object>| links.get(name).map(|one| one.show(path()));
        let many = |links: &'o BTreeMap<String, Vec<Object>>| links.get(name).map(|many| many.show(path()));
        value(&object.plinks)
            .or_else(|| one(&object.clinks))
            .or_else(|| many(&object.colinks))
            .or_else(|| value(&object.splinks))
            .or_else(|| one(&object.sclinks))
            .or_else(|| many(&object.scolinks))
    }
}

impl Indexer for ObjectView<'_> {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let name = key_text(key)?;
        let missing = || ExecutionError::no_such_key(&format!("{}.{name}", self.path));
        self.part(name).map(CowVal::Owned).ok_or_else(missing)
    }

    fn steal<'v>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(key).map(CowVal::into_owned)
    }
}

impl Val for ObjectView<'_> {
    fn get_type(&self) -> &Type {
        &OBJECT_TYPE
    }

    fn cel_type() -> &'static Type {
        &OBJECT_TYPE
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    /// Two objects are equal when their addresses are.
    fn equals(&self, other: &dyn Val) -> bool {
        let address = other.as_indexer().and_then(|other| other.get(&CelString::from("address")).ok());
        let Some(address) = address else { return false };
        let address = address.downcast_ref::<CelString<'_>>().map(CelString::inner);
        address == Some(self.object.address.to_string().as_str())
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }
}

impl<T: Shown> Indexer for LinksView<'_, T> {
    fn get<'b, 'v>(&'b self, key: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let name = key_text(key)?;
        let path = || format!("{}[\"{name}\"]", self.path);
        match self.links.get(name) {
            Some(link) => Ok(CowVal::Owned(link.show(path()))),
            None => Err(ExecutionError::no_such_key(&path())),
        }
    }

    fn steal<'v>(self: Box<Self>, key: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(key).map(CowVal::into_owned)
    }
}

impl<T: Shown> Container for LinksView<'_, T> {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        Ok(self.links.contains_key(key_text(key)?))
    }
}

impl<T: Shown> Sizer for LinksView<'_, T> {
    fn size(&self) -> CelInt {
        CelInt::from(self.links.len() as i64)
    }
}

impl<T: Shown> Val for LinksView<'_, T> {
    fn get_type(&self) -> &Type {
        &LINKS_TYPE
    }

    fn cel_type() -> &'static Type {
        &LINKS_TYPE
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(Self { links: self.links, path: self.path.clone() })
    }
}
