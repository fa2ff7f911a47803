package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for payment methods and purchases.
    ///
    /// They are applied together with the migrations of the other modules, in the order of their versions.
    package static var commerce: [Migration] { [.commerce, .detachment] }
}
