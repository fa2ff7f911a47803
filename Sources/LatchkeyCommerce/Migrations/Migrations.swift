package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for payment methods and purchases.
    ///
    /// They are applied in the order of their versions, together with the migrations of other modules.
    package static var commerce: [Migration] { [.commerce, .detachment] }
}
