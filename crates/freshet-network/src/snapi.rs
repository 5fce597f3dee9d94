//! The generic API over all networks: the six calls of SocWeb's table 1.
//!
//! | call | here |
//! |---|---|
//! | `initialize(definitions, app_ids)` | [`Snapi::initialize`] |
//! | `apply_definition(definition)` | [`Snapi::apply_definition`], while running |
//! | `apply_credentials(user_id, app_id, credentials)` | [`Snapi::apply_credentials`]: the credential's name |
//! | `apply_constraints(constraints)` | [`Snapi::apply_constraints`] |
//! | `get_object(id, type, link types)` | [`Snapi::get_object`] |
//! | `get_links(id, type, link types)` | [`Snapi::get_links`] |
//!
//! Sans-io: the last two return a [`Call`], which says what to ask and takes the answers. A call
//! keeps the definitions and constraints that were in force when it began; what is applied later
//! concerns later calls. No secret passes through here: credentials are names in a vault.

pub mod build;
mod call;
#[cfg(test)]
pub(crate) mod testing;

use std::sync::{Arc, PoisonError, RwLock};

use freshet_types::{Address, Instance, LinkKind, Object};

pub use call::{Call, CallOptions, Step};

use crate::constraint::{Constraint, ConstraintError, Constraints};
use crate::networks::{Networks, NetworksError, Registry};

/// Most credentials that may be in use at once.
const CREDENTIALS_MAX: usize = 10_000;

/// Why a call cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SnapiError {
    /// There is no such network.
    #[error("there is no network `{name}`; known are {known}")]
    NoNetwork {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The network has no such type.
    #[error("`{network}` has no type `{kind}`; its types are {known}")]
    NoType {
        network: String,
        /// What was asked for.
        kind: String,
        /// What there is.
        known: String,
    },
    /// The network cannot show objects of this type, nor list what they link to.
    #[error("`{network}` has no endpoint for `{kind}`")]
    NoEndpoint {
        network: String,
        /// What was asked for.
        kind: String,
    },
    /// The application was not named at the start.
    #[error("there is no application `{0}`; name it in `initialize`")]
    NoApp(String),
    /// Too many credentials.
    #[error("more than {CREDENTIALS_MAX} credentials are in use; remove some")]
    TooManyCredentials,
    /// A definition is wrong.
    #[error(transparent)]
    Definition(#[from] NetworksError),
    /// A constraint is wrong.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

/// An application that a network has authorised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Name of the definition.
    pub network: String,
    pub id: String,
}

/// Which credential a user has given to an application.
#[derive(Clone, Debug)]
struct Grant {
    user_id: String,
    app_id: String,
    credential: Arc<str>,
}

/// The generic API.
#[derive(Debug)]
pub struct Snapi {
    networks: Arc<Networks>,
    apps: Vec<App>,
    grants: RwLock<Vec<Grant>>,
    constraints: RwLock<Arc<Constraints>>,
}

impl Snapi {
    /// Starts with these definitions and the applications that may ask.
    pub fn initialize(networks: Arc<Networks>, apps: Vec<App>) -> Result<Self, SnapiError> {
        let registry = networks.snapshot();
        for app in &apps {
            network_of(&registry, &app.network)?;
        }
        let constraints = RwLock::default();
        Ok(Self { networks, apps, grants: RwLock::default(), constraints })
    }

    /// Adds or replaces a definition while running; gives the name of its network.
    pub fn apply_definition(&self, file: &str, text: &str) -> Result<String, SnapiError> {
        Ok(self.networks.apply_definition(file, text)?)
    }

    /// Lets calls of this user ask through the application with the credential of this name.
    ///
    /// The latest credential of a user and an application counts.
    pub fn apply_credentials(&self, user_id: &str, app_id: &str, credential: &str) -> Result<(), SnapiError> {
        if !self.apps.iter().any(|app| app.id == app_id) {
            return Err(SnapiError::NoApp(app_id.to_owned()));
        }
        let mut grants = self.grants.write().unwrap_or_else(PoisonError::into_inner);
        grants.retain(|grant| grant.user_id != user_id || grant.app_id != app_id);
        if grants.len() >= CREDENTIALS_MAX {
            return Err(SnapiError::TooManyCredentials);
        }
        grants.push(Grant {
            user_id: user_id.to_owned(),
            app_id: app_id.to_owned(),
            credential: credential.into(),
        });
        Ok(())
    }

    /// Replaces all constraints; each must make sense for at least one network it speaks of.
    pub fn apply_constraints(&self, constraints: &[Constraint]) -> Result<(), SnapiError> {
        let registry = self.networks.snapshot();
        for constraint in constraints {
            check_constraint(&registry, constraint)?;
        }
        let constraints = Constraints::new(constraints.to_vec())?;
        *self.constraints.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(constraints);
        Ok(())
    }

    /// The constraints in force.
    fn constraints(&self) -> Arc<Constraints> {
        Arc::clone(&self.constraints.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Fetches an object, then the links of the kinds asked for, as far as the constraints allow.
    pub fn get_object(
        &self,
        instance: &Instance,
        kind: &str,
        id: &str,
        links: &[LinkKind],
        options: CallOptions,
    ) -> Result<Call, SnapiError> {
        self.call(instance, kind, id, links, options)?.with_root()
    }

    /// Fetches the links of the kinds asked for, and not the object itself.
    pub fn get_links(
        &self,
        instance: &Instance,
        kind: &str,
        id: &str,
        links: &[LinkKind],
        options: CallOptions,
    ) -> Result<Call, SnapiError> {
        self.call(instance, kind, id, links, options)?.with_links()
    }

    fn call(
        &self,
        instance: &Instance,
        kind: &str,
        id: &str,
        links: &[LinkKind],
        options: CallOptions,
    ) -> Result<Call, SnapiError> {
        let registry = self.networks.snapshot();
        let network = Arc::clone(network_of(&registry, instance.network.definition())?);
        if !network.schema.types.contains_key(kind) {
            return Err(SnapiError::NoType {
                network: network.name.to_string(),
                kind: kind.to_owned(),
                known: network.schema.types.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
            });
        }
        let root = Object::new(Address::new(&instance.network, kind, id));
        let credential = self.credential(&network.name, options.user_id.as_deref());
        let mut call = Call::new(registry, self.constraints(), network, instance.clone(), root);
        call.ask_with(credential, links, options);
        Ok(call)
    }

    /// The credential to ask with: this user's, or without one the first that was applied.
    fn credential(&self, network: &str, user_id: Option<&str>) -> Option<Arc<str>> {
        let grants = self.grants.read().unwrap_or_else(PoisonError::into_inner);
        let is_usable = |grant: &&Grant| {
            user_id.is_none_or(|user_id| grant.user_id == user_id)
                && self.apps.iter().any(|app| app.id == grant.app_id && app.network == network)
        };
        grants.iter().find(is_usable).map(|grant| Arc::clone(&grant.credential))
    }
}

fn network_of<'r>(
    registry: &'r Registry,
    name: &str,
) -> Result<&'r Arc<crate::networks::Network>, SnapiError> {
    registry.get(name).ok_or_else(|| SnapiError::NoNetwork {
        name: name.to_owned(),
        known: registry.iter().map(|network| &*network.name).collect::<Vec<_>>().join(", "),
    })
}

/// A constraint must fit at least one of the networks it speaks of.
pub fn check_constraint(registry: &Registry, constraint: &Constraint) -> Result<(), SnapiError> {
    if let Some(name) = constraint.network() {
        network_of(registry, name)?;
    }
    let is_meant = |name: &str| constraint.network().is_none_or(|wanted| wanted == name);
    let has_type = |schema: &freshet_types::Schema| schema.types.contains_key(constraint.type_name());
    let mut errors = Vec::new();
    for network in registry.iter().filter(|network| is_meant(&network.name)) {
        match constraint.check(&network.schema) {
            Ok(()) => return Ok(()),
            Err(error) => errors.push((has_type(&network.schema), error)),
        }
    }
    // The network in which most of it makes sense is the one that was thought of.
    let furthest = errors.into_iter().max_by_key(|(has_type, error)| (*has_type, column(error)));
    furthest.map_or(Ok(()), |(_, error)| Err(error.into()))
}

fn column(error: &ConstraintError) -> usize {
    match error {
        ConstraintError::At { column, .. } => *column,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
