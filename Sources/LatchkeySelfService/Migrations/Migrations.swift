package import LatchkeyServerKit

extension [Migration] {
    /// The steps of flows and codes.
    ///
    /// The table of flows is created by an earlier step; the versions of all modules form one sequence.
    package static var selfService: [Migration] { [.codes, .bounds] }
}
