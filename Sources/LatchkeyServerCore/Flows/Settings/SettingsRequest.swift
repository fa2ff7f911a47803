import LatchkeyModel

/// A change that somebody asks for in their settings.
struct SettingsRequest: Sendable {
    let exchange: Exchange
    let flow: Flow
    let schema: IdentitySchema

    /// The session that asks.
    let session: Session

    /// For how long after a login its session may change what protects the account.
    let privilegedAge: Duration

    /// Whether the session may change what protects the account.
    var isPrivileged: Bool {
        session.authenticatedAt + privilegedAge > exchange.now
    }
}

/// What came of a change of settings.
enum SettingsOutcome: Sendable {
    /// It is done; the identity as it is now, and what is to be verified.
    case saved(IdentityRecord, [VerificationSending.Begun])

    /// It is done once an address is verified; until then everything stays.
    case waits(VerificationSending.Begun)

    /// It was not done.
    case refused(Form)

    /// It needs a login that is younger.
    case needsRefresh

    /// The session or the account ended meanwhile.
    case sessionOver
}
