import LatchkeyTestKit

/// The spaces that are searched to their ends by `scripts/check --deep`.
///
/// Each leaves out something that another has, for all of it together is more than a machine can hold.
enum ExplorerSpaces {
    static let all: [(bounds: String, what: String)] = [
        ("processes=2,callers=3,signOuts=1,refreshes=2,losses=1,overtakings=1", "three callers"),
        ("processes=2,callers=2,signOuts=1,refreshes=2,crashes=1,moods=1", "crashes and stores"),
    ]
}
