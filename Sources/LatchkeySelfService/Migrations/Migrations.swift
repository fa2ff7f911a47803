package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for flows and codes.
    ///
    /// An earlier migration creates the table of flows; the migration versions of all modules form one
    /// sequence.
    package static var selfService: [Migration] { [.codes, .bounds] }
}
