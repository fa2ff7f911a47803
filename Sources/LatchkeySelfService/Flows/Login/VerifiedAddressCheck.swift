import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// Checks that users log in with a verified address, if the server is configured to require one (Kratos's
/// hook `require_verified_address`).
///
/// Logins with a code don't need this check, because the code verifies the address that it was sent to.
struct VerifiedAddressCheck: Sendable {
    private let settings: LoginSettings
    private let identities: IdentityRepository
    private let database: any Database
    private let time: any TimeSource
    private let verifications: VerificationStarter
    private let lifecycle: FlowLifecycle

    init(
        lifecycle: FlowLifecycle,
        verifications: VerificationStarter,
        identities: IdentityRepository,
        settings: LoginSettings,
        database: any Database,
        time: any TimeSource
    ) {
        self.lifecycle = lifecycle
        self.verifications = verifications
        self.identities = identities
        self.settings = settings
        self.database = database
        self.time = time
    }

    /// Returns whether an address must be verified before this login.
    ///
    /// If the identifier isn't a verifiable address, for example because it is a user name, any verified
    /// address is sufficient.
    ///
    /// - Parameters:
    ///   - identity: The id of the identity that is logging in.
    ///   - identifier: The submitted identifier, normalized.
    /// - Returns: `true` if an address must be verified first. Always `false` if verified addresses are
    ///   optional.
    /// - Throws: ``DatabaseError``.
    func isMissing(for identity: Identifier, identifier: String) async throws -> Bool {
        guard settings.verifiedAddress != .optional else { return false }
        let addresses = try await identities.verifiableAddresses(of: identity)
        if let typed = addresses.first(where: { $0.value == identifier }) { return !typed.isVerified }
        return !addresses.contains { $0.isVerified }
    }

    /// Starts verifying the identifier.
    ///
    /// If the identifier isn't a verifiable address, starts verifying all unverified addresses.
    ///
    /// The flows and their codes are saved in one transaction. The flows are bound to the account but not to
    /// a session, because the login doesn't create one.
    ///
    /// - Returns: The verifications whose codes were enqueued. Addresses that have been sent too many codes
    ///   are omitted.
    /// - Throws: ``DatabaseError``, or an error if a message cannot be encrypted.
    func begin(
        for id: Identifier,
        identifier: String,
        in context: RequestContext,
        flow: Flow
    ) async throws -> [VerificationStarter.Begun] {
        let now = time.now
        let begun = try await database.transaction { [verifications, lifecycle] transaction in
            var begun: [VerificationStarter.Begun] = []
            _ = try IdentityRepository.change(id, in: transaction) { old in
                let all = old.verifiable.map(\.address)
                let others =
                    all.contains { $0.value == identifier } ? all.filter { $0.value != identifier } : []
                let (new, flows) = try verifications.begin(
                    for: old,
                    except: others,
                    loginChallenge: flow.loginChallenge,
                    clientID: flow.clientID,
                    in: context,
                    type: flow.type,
                    at: now,
                    in: transaction
                )
                begun = flows
                return new
            }
            if flow.authorization?.continuesByLink == true {
                try lifecycle.attachLink(of: flow, to: id, at: now, in: transaction)
            }
            try IdentityRepository.extendLapse(
                of: id,
                to: lifecycle.lapse(ofAccountCreatedAt: now),
                in: transaction
            )
            return begun
        }
        return begun
    }
}
