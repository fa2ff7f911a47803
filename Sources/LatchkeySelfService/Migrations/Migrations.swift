package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for flows and codes.
    ///
    /// The flows table is created by an earlier migration, because the migration versions of all modules form
    /// a single sequence.
    package static var selfService: [Migration] { [.codes, .bounds] }
}
