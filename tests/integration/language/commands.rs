//! Commands of every kind, made up at random, and the ways to write each of them.

use proptest::collection::vec;
use proptest::prelude::*;
use trimark::conditioning::step::{Level, SequentialFill, Step, Torture, Until};
use trimark::experiment::arms::ARM_SETS;
use trimark::experiment::plan::Arm;
use trimark::experiment::recipes::RECIPES;
use trimark::experiment::request::Request;
use trimark::report::FORMATS;
use trimark::script::Command;
use trimark::script::drive::{ConditionRequest, TrimRequest};
use trimark::script::recipe::RecipeRequest;
use trimark::stats::metrics::METRICS;
use trimark::volume::trim::Range;
use trimark::workload::config::Bias;
use trimark::workload::policy::{Choice, Content, Settle, SteadyRule, SyncPolicy};
use trimark::workload::sizes::Sizes;
use trimark::workload::transfer::{FileSize, Pattern};
use trimark::workload::{Assignment, Config, EngineKind, Location, LocationChange};

/// A part of a line, by how freely it may be written.
#[derive(Debug, Clone)]
pub enum Part {
    /// A word in any case.
    Keyword(String),
    /// A word as it is.
    Value(String),
    /// A path, after a sign that stands outside of quotes.
    Path(&'static str, String),
}

/// How one line is written beyond what it says.
#[derive(Debug, Clone)]
pub struct Style {
    start: &'static str,
    blanks: Vec<String>,
    upper_case: u64,
    quote: &'static str,
    comment: String,
    end: &'static str,
}

/// Nothing beyond what is said; paths in double quotes.
pub fn plain() -> Style {
    Style {
        start: "",
        blanks: vec![" ".into()],
        upper_case: 0,
        quote: "\"",
        comment: String::new(),
        end: "",
    }
}

/// Any way to write a line.
pub fn any_style() -> impl Strategy<Value = Style> {
    (
        prop::sample::select(vec!["", " ", "\t \t", "\u{feff}", "\u{feff}\t", "\u{a0}", "\0"]),
        vec("[ \t]{1,4}", 1..8),
        any::<u64>(),
        prop::sample::select(vec!["\"", "'"]),
        prop_oneof![Just(String::new()), "[ \t]{1,3}", "[ \t]{1,3}#[^\r\n]{0,30}"],
        prop::sample::select(vec!["", "\n", "\r\n", "\r"]),
    )
        .prop_map(|(start, blanks, upper_case, quote, comment, end)| Style {
            start,
            blanks,
            upper_case,
            quote,
            comment,
            end,
        })
}

/// The line.
pub fn write(parts: &[Part], style: &Style) -> String {
    let mut line = style.start.to_owned();
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            line += &style.blanks[place % style.blanks.len()];
        }
        match part {
            Part::Keyword(word) => {
                let letters = word.chars().enumerate().map(|(i, letter)| {
                    let upper = style.upper_case >> ((i + 7 * place) % 64) & 1 == 1;
                    if upper { letter.to_ascii_uppercase() } else { letter }
                });
                line.extend(letters);
            }
            Part::Value(word) => line += word,
            Part::Path(sign, path) => {
                let quote = if path.contains(style.quote) { "\"" } else { style.quote };
                line += &format!("{sign}{quote}{path}{quote}");
            }
        }
    }
    line + &style.comment + style.end
}

/// The parts of any command of the table, but for `!`, which takes the line as it is.
pub fn parts(command: &Command) -> Vec<Part> {
    match command {
        Command::Set(assignment) => [keywords("set"), setting(assignment)].concat(),
        Command::SetReports(formats) => {
            let names: Vec<&str> = formats.iter().map(|format| format.row().name).collect();
            keywords(&format!("set report {}", names.join(" ")))
        }
        Command::Run(file) => with_file("run", file.as_deref()),
        Command::Show(file) => with_file("show", file.as_deref()),
        Command::Load(file) => with_file("load", Some(file)),
        Command::Help(prefix) => {
            // Kept as typed: `help` itself doesn't mind the case.
            let words = prefix.split_whitespace().map(|word| Part::Value(word.into())).collect();
            [keywords("help"), words].concat()
        }
        Command::Quit => keywords("quit"),
        Command::Arm(arm) => {
            let trim = arm.trim_before.then(|| "trim=before".to_owned());
            let options: Vec<String> = arm.mount_options.iter().cloned().chain(trim).collect();
            let values = [arm.name.clone(), options.join(",")].map(Part::Value);
            [keywords("arm"), values.to_vec()].concat()
        }
        Command::Compare(request) => {
            let options = [
                request.blocks.map(|blocks| format!("blocks={blocks}")),
                request.arm_set.as_ref().map(|set| format!("arms={set}")),
                request.time_ns.map(|time| format!("time={time}ns")),
                request.against_itself.then(|| "aa".to_owned()),
            ];
            let options = options.into_iter().flatten().map(Part::Value);
            keywords("compare").into_iter().chain(options).collect()
        }
        Command::Trim(request) => {
            let path = request.directory.to_str().expect("UTF-8").to_owned();
            let Range { start, length, least } = request.range;
            let options = [
                (start > 0).then(|| format!("offset={start}")),
                (length < u64::MAX).then(|| format!("length={length}")),
                (least > 0).then(|| format!("minimum={least}")),
                request.check.then(|| "check".to_owned()),
            ];
            let options = options.into_iter().flatten().map(Part::Value);
            keywords("trim").into_iter().chain([Part::Path("", path)]).chain(options).collect()
        }
        Command::Condition(request) => {
            let path = request.directory.to_str().expect("UTF-8").to_owned();
            let step = request.step.to_string();
            let words = step.split_whitespace().chain(request.resume.then_some("resume"));
            let words = words.map(|word| Part::Value(word.to_owned()));
            keywords("condition").into_iter().chain([Part::Path("", path)]).chain(words).collect()
        }
        Command::Recipe(None) => keywords("recipe"),
        Command::Recipe(Some(asked)) => {
            let options = [
                Some(asked.recipe.name.to_owned()),
                Some(format!("scale={}", asked.scale)),
                asked.secure_erase.as_ref().map(|command| format!("secure-erase={command}")),
                asked.only_estimate.then(|| "estimate".to_owned()),
                asked.request.blocks.map(|blocks| format!("blocks={blocks}")),
            ];
            let options = options.into_iter().flatten().map(Part::Value);
            keywords("recipe").into_iter().chain(options).collect()
        }
        Command::Shell(_) => unreachable!("`any_command` makes none"),
    }
}

fn keywords(text: &str) -> Vec<Part> {
    text.split_whitespace().map(|word| Part::Keyword(word.into())).collect()
}

fn with_file(name: &str, file: Option<&std::path::Path>) -> Vec<Part> {
    let path = file.map(|file| Part::Path("", file.to_str().expect("UTF-8").into()));
    keywords(name).into_iter().chain(path).collect()
}

fn setting(assignment: &Assignment) -> Vec<Part> {
    let number = |name: &str, value: &dyn ToString| {
        [keywords(name), vec![Part::Value(value.to_string())]].concat()
    };
    let bias = |bias: &Bias| bias.map_or(-1, i16::from);
    match assignment {
        Assignment::Size { low, high } => number("size", &format!("{low} {high}")),
        Assignment::Number(value) => number("number", value),
        Assignment::Seed(value) => number("seed", value),
        Assignment::Transactions(value) => number("transactions", value),
        Assignment::Subdirectories(value) => number("subdirectories", value),
        Assignment::ReadBlock(value) => number("read", value),
        Assignment::WriteBlock(value) => number("write", value),
        Assignment::Engine(engine) => keywords(&format!("engine {}", engine.name())),
        Assignment::BiasRead(value) => number("bias read", &bias(value)),
        Assignment::BiasCreate(value) => number("bias create", &bias(value)),
        Assignment::Location(change) => [keywords("location"), location(change)].concat(),
        other => measuring(other),
    }
}

/// Settings that PostMark does not have.
fn measuring(assignment: &Assignment) -> Vec<Part> {
    let value = |name: &str, value: String| [keywords(name), vec![Part::Value(value)]].concat();
    let time = |nanoseconds: &Option<u64>| format!("{}ns", nanoseconds.unwrap_or(0));
    match assignment {
        Assignment::Duration(duration) => value("duration", time(duration)),
        Assignment::Warmup(warmup) => value("warmup", time(warmup)),
        Assignment::Iterations(count) => value("iterations", count.to_string()),
        Assignment::Sizes(Sizes::Uniform) => keywords("sizes uniform"),
        Assignment::Sizes(Sizes::Lognormal { median, sigma_thousandths }) => {
            let sigma = *sigma_thousandths as f64 / 1000.0;
            value("sizes lognormal", format!("{median} {sigma}"))
        }
        Assignment::Sizes(Sizes::Tree(path)) => {
            let path = Part::Path("", path.to_str().expect("UTF-8").into());
            [keywords("sizes tree"), vec![path]].concat()
        }
        Assignment::FanOut(None) => keywords("fan-out off"),
        Assignment::FanOut(Some(path)) => {
            let path = Part::Path("", path.to_str().expect("UTF-8").into());
            [keywords("fan-out tree"), vec![path]].concat()
        }
        Assignment::Steady(None) => keywords("steady off"),
        Assignment::Steady(Some(rule)) => {
            let options = format!(
                "{} rounds={} window={} range={}% slope={}",
                rule.metric, rule.rounds, rule.window, rule.range_percent, rule.slope_percent
            );
            value("steady", options)
        }
        Assignment::Workers(count) => value("workers", count.to_string()),
        Assignment::Interval(interval) => value("interval", format!("{interval}ns")),
        Assignment::Generator(generator) => keywords(&format!("generator {}", generator.name())),
        Assignment::Latency(level) => keywords(&format!("latency {}", level.name())),
        Assignment::Cache(cache) => keywords(&format!("cache {}", cache.name())),
        Assignment::Direct(direct) => keywords(&format!("direct {direct}")),
        Assignment::Verify(verify) => keywords(if *verify { "verify on" } else { "verify off" }),
        Assignment::Sync(SyncPolicy::None) => keywords("sync none"),
        Assignment::Sync(SyncPolicy::Phase) => keywords("sync phase"),
        Assignment::Sync(SyncPolicy::Close) => keywords("sync close"),
        Assignment::Sync(SyncPolicy::FsyncEvery(n)) => value("sync fsync-every", n.to_string()),
        Assignment::Settle(Settle::Off) => keywords("settle off"),
        Assignment::Settle(Settle::Auto) => keywords("settle auto"),
        Assignment::Settle(Settle::For(time)) => value("settle", format!("{time}ns")),
        Assignment::Content(Content::Postmark) => keywords("content postmark"),
        Assignment::Content(Content::Random) => keywords("content random"),
        Assignment::Content(Content::Zero) => keywords("content zero"),
        Assignment::Content(Content::Compressible(p)) => {
            value("content compressible", p.to_string())
        }
        Assignment::Workload(kind) => keywords(&format!("workload {}", kind.name())),
        Assignment::Patterns(patterns) => {
            let names: Vec<&str> = patterns.iter().map(|pattern| pattern.name()).collect();
            keywords(&format!("patterns {}", names.join(" ")))
        }
        Assignment::Records(records) => {
            let sizes: Vec<String> = records.iter().map(u64::to_string).collect();
            value("records", sizes.join(" "))
        }
        Assignment::FileSize(FileSize::Bytes(bytes)) => value("file-size", bytes.to_string()),
        Assignment::FileSize(FileSize::FreePercent(share)) => {
            value("file-size", format!("{share}%"))
        }
        Assignment::FileSize(FileSize::MemoryHundredths(hundredths)) => {
            value("file-size", format!("{}x", *hundredths as f64 / 100.0))
        }
        Assignment::Depth(depth) => value("depth", depth.to_string()),
        classic => unreachable!("{classic:?} is PostMark's"),
    }
}

fn location(change: &LocationChange) -> Vec<Part> {
    let weighted = |sign, Location { path, weight }: &Location| {
        let path = path.to_str().expect("UTF-8").to_owned();
        vec![Part::Path(sign, path), Part::Value(weight.to_string())]
    };
    match change {
        LocationChange::Replace(location) => weighted("", location),
        LocationChange::Add(location) => weighted("+", location),
        LocationChange::Remove(path) => {
            vec![Part::Path("-", path.to_str().expect("UTF-8").into())]
        }
    }
}

/// A path of any letters, blanks and signs; a sign at its beginning would be an operator.
fn any_path() -> impl Strategy<Value = String> {
    "[a-zA-Z./_äß目🦀][a-zA-Z0-9./_äß目🦀 '#+!-]{0,24}"
}

/// Any command with values within bounds, in all their range.
pub fn any_command() -> impl Strategy<Value = Command> {
    let file = || prop::option::of(any_path().prop_map(Into::into));
    let formats = FORMATS.iter().map(|row| row.format).collect::<Vec<_>>();
    prop_oneof![
        8 => any_assignment().prop_map(Command::Set),
        1 => vec(prop::sample::select(formats), 1..5).prop_map(Command::SetReports),
        1 => file().prop_map(Command::Run),
        1 => file().prop_map(Command::Show),
        1 => any_arm().prop_map(|arm| Command::Arm(Box::new(arm))),
        1 => any_request().prop_map(|request| Command::Compare(Box::new(request))),
        1 => any_path().prop_map(|path| Command::Load(path.into())),
        1 => prop::sample::select(vec!["", "set", "set bias", "run"])
            .prop_map(|prefix| Command::Help(prefix.into())),
        1 => Just(Command::Quit),
        1 => any_trim().prop_map(Command::Trim),
        1 => any_recipe().prop_map(|request| Command::Recipe(request.map(Box::new))),
        1 => any_condition().prop_map(|request| Command::Condition(Box::new(request))),
    ]
}

fn any_recipe() -> impl Strategy<Value = Option<RecipeRequest>> {
    let names = RECIPES.iter().map(|recipe| recipe.name).collect::<Vec<_>>();
    let erase = prop::option::of("[a-z]{1,8}");
    let blocks = prop::option::of(1u64..1 << 40);
    let asked = (prop::sample::select(names), 1e-6f64..1e3, erase, prop::bool::ANY, blocks)
        .prop_map(|(name, scale, secure_erase, only_estimate, blocks)| RecipeRequest {
            scale,
            secure_erase,
            only_estimate,
            request: Request { blocks, ..Request::default() },
            ..RecipeRequest::new(name).expect("it is there")
        });
    prop::option::of(asked)
}

fn any_condition() -> impl Strategy<Value = ConditionRequest> {
    let level =
        || (1u8..=100, prop::bool::ANY).prop_map(|(percent, anyway)| Level { percent, anyway });
    let step = prop_oneof![
        (1u64..1 << 40, level())
            .prop_map(|(rounds, fill)| Step::SequentialFill(SequentialFill { rounds, fill })),
        (1u64..1 << 50, 9u32..=24, 1u64..=4096, level()).prop_map(|(bytes, shift, depth, fill)| {
            let until = Until::Bytes(bytes);
            Step::Torture(Torture { record: 1 << shift, depth, until, fill })
        }),
        Just(Step::Trim),
        Just(Step::Format),
    ];
    (any_path(), step, prop::bool::ANY).prop_map(|(path, step, resume)| ConditionRequest {
        directory: path.into(),
        step,
        resume,
    })
}

fn any_trim() -> impl Strategy<Value = TrimRequest> {
    (any_path(), any::<u64>(), 1u64.., any::<u64>(), prop::bool::ANY).prop_map(
        |(path, start, length, least, check)| TrimRequest {
            directory: path.into(),
            range: Range { start, length, least },
            check,
        },
    )
}

fn any_arm() -> impl Strategy<Value = Arm> {
    let options = vec("[a-z]{1,8}(=[a-z0-9]{1,4})?", 1..4).prop_filter("ours", |options| {
        options.iter().all(|option| option != "defaults" && !option.contains('='))
    });
    ("[a-zA-Z][a-zA-Z0-9+._-]{0,20}", options, prop::bool::ANY).prop_map(
        |(name, mount_options, trim_before)| Arm {
            name,
            mount_options,
            trim_before,
            ..Arm::default()
        },
    )
}

fn any_request() -> impl Strategy<Value = Request> {
    let sets = ARM_SETS.iter().map(|set| set.name.to_owned()).collect::<Vec<_>>();
    (
        prop::option::of(1u64..1 << 40),
        prop::option::of(prop::sample::select(sets)),
        prop::option::of(1..=*Config::DURATION.end()),
        prop::bool::ANY,
    )
        .prop_map(|(blocks, arm_set, time_ns, against_itself)| Request {
            blocks,
            arm_set,
            time_ns,
            against_itself,
            ..Request::default()
        })
}

fn any_assignment() -> impl Strategy<Value = Assignment> {
    let bias = || prop_oneof![Just(None), (0u8..=10).prop_map(Some)];
    let weighted = || {
        (any_path(), Config::WEIGHT)
            .prop_map(|(path, weight)| Location { path: path.into(), weight })
    };
    prop_oneof![
        Config::SIZE
            .prop_flat_map(|low| (Just(low), low..=*Config::SIZE.end()))
            .prop_map(|(low, high)| Assignment::Size { low, high }),
        Config::NUMBER.prop_map(Assignment::Number),
        Config::SEED.prop_map(Assignment::Seed),
        Config::TRANSACTIONS.prop_map(Assignment::Transactions),
        Config::SUBDIRECTORIES.prop_map(Assignment::Subdirectories),
        Config::BLOCK.prop_map(Assignment::ReadBlock),
        Config::BLOCK.prop_map(Assignment::WriteBlock),
        prop::sample::select(EngineKind::ALL.to_vec()).prop_map(Assignment::Engine),
        bias().prop_map(Assignment::BiasRead),
        bias().prop_map(Assignment::BiasCreate),
        weighted().prop_map(|l| Assignment::Location(LocationChange::Replace(l))),
        weighted().prop_map(|l| Assignment::Location(LocationChange::Add(l))),
        any_path().prop_map(|p| Assignment::Location(LocationChange::Remove(p.into()))),
        any_measuring(),
    ]
}

fn any_steady() -> impl Strategy<Value = SteadyRule> {
    let metrics = METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>();
    (prop::sample::select(metrics), 3u64..=1000, 0u64..100, 1u64..=1000, 1u64..=1000).prop_map(
        |(metric, window, more, range_percent, slope_percent)| SteadyRule {
            metric: metric.into(),
            rounds: window + more,
            window,
            range_percent,
            slope_percent,
        },
    )
}

fn any_measuring() -> impl Strategy<Value = Assignment> {
    fn any<T: Choice + std::fmt::Debug>() -> impl Strategy<Value = T> {
        prop::sample::select(T::NAMES.iter().map(|(_, value)| *value).collect::<Vec<_>>())
    }
    let time = || prop::option::of(1..=*Config::DURATION.end());
    prop_oneof![
        time().prop_map(Assignment::Duration),
        time().prop_map(Assignment::Warmup),
        Config::ITERATIONS.prop_map(Assignment::Iterations),
        Config::WORKERS.prop_map(Assignment::Workers),
        Config::INTERVAL.prop_map(Assignment::Interval),
        prop_oneof![
            Just(Sizes::Uniform),
            (Config::SIZE, 0u64..=4000).prop_map(|(median, sigma_thousandths)| {
                Sizes::Lognormal { median, sigma_thousandths }
            }),
            any_path().prop_map(|path| Sizes::Tree(path.into())),
        ]
        .prop_map(Assignment::Sizes),
        prop::option::of(any_path()).prop_map(|path| Assignment::FanOut(path.map(Into::into))),
        prop::option::of(any_steady()).prop_map(Assignment::Steady),
        any().prop_map(Assignment::Generator),
        any().prop_map(Assignment::Workload),
        vec(prop::sample::select(Pattern::ALL.to_vec()), 1..8).prop_map(Assignment::Patterns),
        vec(Config::RECORD, 1..4).prop_map(Assignment::Records),
        prop_oneof![
            (512u64..=1 << 44).prop_map(FileSize::Bytes),
            (1u64..=100).prop_map(FileSize::FreePercent),
            (1u64..=100_000).prop_map(FileSize::MemoryHundredths),
        ]
        .prop_map(Assignment::FileSize),
        Config::DEPTH.prop_map(Assignment::Depth),
        any().prop_map(Assignment::Latency),
        any().prop_map(Assignment::Cache),
        prop::bool::ANY.prop_map(Assignment::Direct),
        prop::bool::ANY.prop_map(Assignment::Verify),
        prop_oneof![
            Just(SyncPolicy::None),
            Just(SyncPolicy::Phase),
            Just(SyncPolicy::Close),
            Config::FSYNC_EVERY.prop_map(SyncPolicy::FsyncEvery),
        ]
        .prop_map(Assignment::Sync),
        prop_oneof![
            Just(Settle::Off),
            Just(Settle::Auto),
            (1..=*Config::DURATION.end()).prop_map(Settle::For),
        ]
        .prop_map(Assignment::Settle),
        prop_oneof![
            Just(Content::Postmark),
            Just(Content::Random),
            Just(Content::Zero),
            (0u8..=100).prop_map(Content::Compressible),
        ]
        .prop_map(Assignment::Content),
    ]
}
