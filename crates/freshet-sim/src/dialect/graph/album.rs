//! Albums, their photos, and the towns people come from: worked out of an account's number, never stored.

use serde_json::{Value, json};

use super::{Ask, name, person, time};
use crate::World;
use crate::world::{DAY_MS, text};

/// Albums that one user may have.
const ALBUMS_MAX: u64 = 8;
/// Ids of albums begin here; those of accounts are far above them all.
const FIRST_ID: u64 = 1000;
/// Photos of one album; their ids follow from its own.
const PHOTOS_MAX: u64 = 12;
/// Albums are made within so many days from the beginning of the world's history.
const MADE_WITHIN_DAYS: u64 = 60;
/// Most comments on an album.
const COMMENTS_MAX: u64 = 2500;

const TOWNS: [(&str, f64, f64); 6] = [
    ("Gent", 51.05, 3.72),
    ("Porto", 41.15, -8.61),
    ("Kraków", 50.06, 19.94),
    ("Αθήνα", 37.98, 23.73),
    ("Tromsø", 69.65, 18.96),
    ("Nairobi", -1.29, 36.82),
];

/// An album that is there by now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Album {
    id: u64,
    pub(super) owner: u32,
    key: u64,
    pub(super) created_ms: i64,
    pub(super) photo_count: u64,
}

impl Album {
    fn new(world: &World, owner: u32, number: u64) -> Self {
        let id = FIRST_ID + u64::from(owner) * ALBUMS_MAX + number;
        let key = text::mix(world.options.seed ^ 0xa1b0, id);
        let made_after_ms = key % (MADE_WITHIN_DAYS * DAY_MS.unsigned_abs());
        Self {
            id,
            owner,
            key,
            created_ms: world.options.start_at.ms() + made_after_ms.cast_signed(),
            photo_count: 1 + (key >> 16) % PHOTOS_MAX,
        }
    }

    /// The albums that a user has made by now.
    pub(super) fn all_of(world: &World, owner: u32) -> Vec<Self> {
        let count = text::mix(world.options.seed ^ 0xa1b1, u64::from(owner)) % ALBUMS_MAX;
        let is_made = |album: &Self| album.created_ms <= world.now().ms();
        (0..count).map(|number| Self::new(world, owner, number)).filter(is_made).collect()
    }

    /// The album of an id.
    pub(super) fn find(world: &World, id: u64) -> Option<Self> {
        let owner = u32::try_from(id.checked_sub(FIRST_ID)? / ALBUMS_MAX).ok()?;
        world.accounts.get(owner as usize)?;
        Self::all_of(world, owner).into_iter().find(|album| album.id == id)
    }

    pub(super) fn show(&self, world: &World) -> Value {
        json!({
            "id": self.id.to_string(),
            "name": format!("Album {}", self.id % ALBUMS_MAX + 1),
            "created_time": time(self.created_ms),
            "count": self.photo_count,
            "comments": {"count": (self.key >> 24) % COMMENTS_MAX},
            "from": {"id": world.accounts[self.owner as usize].id.to_string()},
        })
    }

    /// One photo, with who is tagged on it.
    pub(super) fn photo(&self, ask: &Ask<'_>, number: u64) -> Value {
        let account = &ask.world.accounts[self.owner as usize];
        let tagged: Vec<Value> = account
            .following
            .get(number as usize)
            .map(|edge| {
                let id = ask.world.accounts[edge.other as usize].id.to_string();
                json!({"id": id, "name": name(ask, edge.other), "hometown": place(ask.world, edge.other)})
            })
            .into_iter()
            .collect();
        json!({
            "id": format!("{}", self.id * PHOTOS_MAX + number + (1 << 40)),
            "created_time": time(self.created_ms + number.cast_signed() * 60_000),
            "name": format!("Photo {}", number + 1),
            "from": person(ask, self.owner),
            "album": {"id": self.id.to_string()},
            "tags": {"data": tagged},
        })
    }
}

/// Where somebody comes from.
pub(super) fn place(world: &World, index: u32) -> Value {
    let town = text::mix(world.options.seed ^ 0x704e, u64::from(index)) as usize % TOWNS.len();
    let (name, latitude, longitude) = TOWNS[town];
    json!({"id": (town + 1).to_string(), "name": name, "location": {"city": name, "latitude": latitude, "longitude": longitude}})
}
