//! `cargo xtask dist`: a folder and an archive to hand to others. Not one of the ten steps.
//!
//! The program, static where the musl target is there or can be had (else linked against this machine's C
//! library, and it says so), with its manual pages, completions, systemd unit, Dockerfile and compose file,
//! licences, and the SHA-256 of every file. `--binary FILE` packs a program that was built elsewhere.
//! Invariant: what is packed was run: manual and completions come from the packed program itself.

mod image;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{cache, process};

/// The target whose programs need nothing of the machine they run on.
const STATIC_TARGET: &str = "x86_64-unknown-linux-musl";
/// The C compiler that links for it; Debian's package `musl-tools` brings it.
const STATIC_LINKER: &str = "musl-gcc";
/// Shells, and how the file for each is called.
const SHELLS: [(&str, &str); 3] = [("bash", "freshet.bash"), ("zsh", "_freshet"), ("fish", "freshet.fish")];
/// Files that are packed as they are: from where, and under which name.
const FILES: [(&str, &str); 6] = [
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("xtask/dist/freshet.service", "systemd/freshet.service"),
    ("compose.yml", "compose.yml"),
];
/// The list of hashes.
const SUMS: &str = "SHA256SUMS";

/// What was asked for.
#[derive(Debug, Default, PartialEq)]
struct Options {
    out: Option<PathBuf>,
    target: Option<String>,
    binary: Option<PathBuf>,
}

/// Builds and packs.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = parse(args)?;
    let root = cache::repository();
    let version = version(&root)?;
    let (binary, target) = match &options.binary {
        Some(file) => (file.clone(), options.target.clone().unwrap_or_else(|| "local".to_owned())),
        None => build(&root, options.target.as_deref())?,
    };
    let out = options.out.clone().unwrap_or_else(|| root.join("dist"));
    let name = format!("freshet-{version}-{target}");
    let folder = out.join(&name);
    pack(&root, &binary, &folder)?;
    let said = process::output(Command::new(folder.join("freshet")).arg("--version"))?;
    if said.trim() != format!("freshet {version}") {
        bail!("the program says `{}`, Cargo.toml says {version}; build it anew", said.trim());
    }
    let sums = sums(&folder)?;
    let archive = out.join(format!("{name}.tar.gz"));
    process::aloud(Command::new("tar").args(["-czf"]).arg(&archive).arg("-C").arg(&out).arg(&name))?;
    let hash = process::output(Command::new("sha256sum").arg(format!("{name}.tar.gz")).current_dir(&out))?;
    std::fs::write(out.join(format!("{name}.tar.gz.sha256")), &hash).context("cannot write the hash")?;
    println!("{} files in {}", sums + 1, folder.display());
    println!("{}: {}", linkage(&folder.join("freshet")), archive.display());
    print!("{hash}");
    Ok(())
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().with_context(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--out" => options.out = Some(value()?.into()),
            "--target" => options.target = Some(value()?),
            "--binary" => options.binary = Some(value()?.into()),
            _ => bail!("usage: cargo xtask dist [--out DIR] [--target TRIPLE] [--binary FILE]"),
        }
    }
    Ok(options)
}

/// The version of the workspace.
pub(crate) fn version(root: &Path) -> Result<String> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).context("cannot read Cargo.toml")?;
    value_of(&manifest, "version").context("Cargo.toml has no version")
}

/// The first `key = "value"` of a manifest.
pub(crate) fn value_of(manifest: &str, key: &str) -> Option<String> {
    let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='))?;
    Some(line.trim().trim_matches('"').to_owned())
}

/// Builds the program; static where that is possible.
fn build(root: &Path, asked: Option<&str>) -> Result<(PathBuf, String)> {
    let target = match asked {
        Some(target) => target.to_owned(),
        None if can_be_static() => STATIC_TARGET.to_owned(),
        None => {
            println!(
                "note: no static program, as `{STATIC_TARGET}` or `{STATIC_LINKER}` is lacking (rustup target add \
                 {STATIC_TARGET}; apt install musl-tools); it will need this machine's C library or a newer one"
            );
            host()?
        }
    };
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(root)
        .args(["build", "--release", "--locked", "--package", "freshet", "--target", &target])
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    process::aloud(&mut cargo)?;
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok((folder.join(&target).join("release/freshet"), target))
}

fn can_be_static() -> bool {
    let has_target = || {
        let listed = process::output(Command::new("rustup").args(["target", "list", "--installed"]));
        listed.is_ok_and(|listed| listed.lines().any(|line| line == STATIC_TARGET))
    };
    let can_add = || process::works(Command::new("rustup").args(["target", "add", STATIC_TARGET]));
    process::which(STATIC_LINKER).is_some() && (has_target() || can_add())
}

fn host() -> Result<String> {
    let said = process::output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say for which machine it builds")?.to_owned())
}

/// Fills the folder.
fn pack(root: &Path, binary: &Path, folder: &Path) -> Result<()> {
    cache::emptied(folder)?;
    let program = folder.join("freshet");
    copy(binary, &program)?;
    for (from, name) in FILES {
        copy(&root.join(from), &folder.join(name))?;
    }
    let image = std::fs::read_to_string(root.join("Dockerfile")).context("cannot read the Dockerfile")?;
    std::fs::write(folder.join("Dockerfile"), image::packed(&image)?)
        .context("cannot write the Dockerfile")?;
    process::output(Command::new(&program).arg("man").arg("-o").arg(folder.join("man")))?;
    std::fs::create_dir_all(folder.join("completions")).context("cannot make a folder for completions")?;
    for (shell, name) in SHELLS {
        let text = process::output(Command::new(&program).args(["completions", shell]))?;
        let path = folder.join("completions").join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    }
    std::fs::copy(from, to)
        .with_context(|| format!("cannot copy `{}` to `{}`", from.display(), to.display()))?;
    Ok(())
}

/// Writes the hash of every file; gives how many.
fn sums(folder: &Path) -> Result<usize> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(inner) = folders.pop() {
        let entries =
            std::fs::read_dir(&inner).with_context(|| format!("cannot list `{}`", inner.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                names.push(name.to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    let text = process::output(Command::new("sha256sum").arg("--").args(&names).current_dir(folder))?;
    std::fs::write(folder.join(SUMS), text).with_context(|| format!("cannot write `{SUMS}`"))?;
    Ok(names.len())
}

/// What the program needs of the machine it runs on, in words.
fn linkage(program: &Path) -> &'static str {
    // `ldd` fails for a static program, or says so.
    match process::output(Command::new("ldd").arg(program)) {
        Ok(said) if !said.contains("statically linked") => "needs the C library of a machine like this one",
        _ => "static",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let args = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let options = parse(&args("--out o --target t --binary b")).unwrap();
        assert_eq!(options.target.as_deref(), Some("t"));
        assert_eq!((options.out, options.binary), (Some("o".into()), Some("b".into())));
        assert_eq!(parse(&[]).unwrap(), Options::default());
        assert!(parse(&args("--out")).is_err());
        assert!(parse(&args("nonsense")).is_err());
    }

    #[test]
    fn a_folder_is_packed_with_what_the_program_says_of_itself() {
        let folder = std::env::temp_dir().join(format!("freshet-dist-{}", std::process::id()));
        cache::emptied(&folder).unwrap();
        let script = "#!/bin/sh\ncase $1 in man) mkdir -p \"$3\"; echo .TH > \"$3/freshet.1\";; *) echo \"$1 $2\";; esac\n";
        let binary = folder.join("program");
        std::fs::write(&binary, script).unwrap();
        assert!(process::works(Command::new("chmod").arg("755").arg(&binary)));
        let packed = folder.join("packed");
        pack(&cache::repository(), &binary, &packed).unwrap();
        assert_eq!(sums(&packed).unwrap(), FILES.len() + SHELLS.len() + 3);
        let said = std::fs::read_to_string(packed.join("completions/_freshet")).unwrap();
        assert_eq!(said.trim(), "completions zsh");
        assert!(process::works(Command::new("sha256sum").args(["--check", SUMS]).current_dir(&packed)));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn values_of_a_manifest() {
        let text = "[workspace.package]\nversion = \"0.1.0\"\nrust-version = \"1.95\"\n";
        assert_eq!(value_of(text, "version").as_deref(), Some("0.1.0"));
        assert_eq!(value_of(text, "rust-version").as_deref(), Some("1.95"));
        assert_eq!(value_of(text, "absent"), None);
    }
}
