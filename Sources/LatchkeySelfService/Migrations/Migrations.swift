package import LatchkeyServerKit

extension [Migration] {
    /// The steps of flows and codes.
    package static var selfService: [Migration] { [.codes, .bounds] }
}
