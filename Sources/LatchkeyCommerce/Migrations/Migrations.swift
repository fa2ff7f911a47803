package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for payment methods and purchases.
    ///
    /// These migrations are applied together with those of the other modules, sorted by version.
    package static var commerce: [Migration] { [.commerce, .detachment, .erasedPayments] }
}
