import LatchkeyCommerce

/// The numbers of the sandbox's cards.
///
/// An app adds a card with `Purchases.addSandboxCard(number:)`. Other numbers are rejected with
/// `cardNotAccepted`.
public enum TestCard: Sendable {
    /// Payments succeed.
    public static let success = SandboxCard.success.number
    /// Payments are declined: the transaction fails with `declined`.
    public static let decline = SandboxCard.decline.number
    /// Payments wait for a confirmation: the transaction is `deferred` until the app calls
    /// `Purchases.confirm(_:approve:)`, or until it fails with `timedOut` after 24 hours.
    public static let confirmation = SandboxCard.confirmation.number
    /// Payments are `purchasing` for 30 seconds on the server's clock.
    ///
    /// Then, payments of an even amount in minor units succeed, and the others fail with `timedOut`.
    public static let timeout = SandboxCard.timeout.number
}
