import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// A user who performs random steps through every flow, with a ledger of the acknowledged outcomes.
///
/// A step records the possible outcomes before its request and the actual one after the response. Without a
/// response the user pauses until the server is back: then exactly one of the outcomes must be the case.
struct Life: Sendable {
    /// The knowledge about a change.
    enum Known: Sendable { case yes, no, unknown }

    /// A session, as far as its state is known.
    struct Session: Sendable {
        let token: String
        /// Whether a code opened the session, so that it cannot replace a password.
        var isByCode = false
        var isAlive = Known.yes
        var key: SigningKey?
        var isCertified = Known.no
        /// The latest refresh token.
        var refreshToken: Secret?
    }

    /// A code that was consumed.
    struct UsedCode: Sendable {
        let kind: String
        let flow: String
        let body: JSONValue
    }

    let number: Int

    var isThere = Known.no
    var id: String?
    /// The possible passwords; empty for a user without one.
    var passwords: [String] = []
    /// Whether it is unknown if the first password was set.
    var mayLackPassword = false
    var spentPasswords: [String] = []
    /// The possible names.
    var names: [String] = ["none"]
    var isVerified = Known.no
    /// Whether the operator has proven both addresses, so that codes open the account unchanged.
    var isVouched = false
    var sessions: [Session] = []
    var used: [UsedCode] = []

    /// The numbers of messages with a code: acknowledged ones and ones without a response.
    var sent: [String: Int] = [:]
    var maybeSent: [String: Int] = [:]

    /// The number of completed steps by kind.
    var done: [String: Int] = [:]

    /// The violated expectations.
    var troubles: [String] = []

    /// Whether the last step was skipped.
    private var hasPassed = false
    private var next: Int
    private var fresh = 0

    init(_ number: Int) {
        self.number = number
        next = number
    }

    var email: String { "life\(number)@example.org" }
    var phone: String { "+4366\(1_000_000 + number)" }

    var traits: JSONValue {
        .object(["email": .string(email), "phone": .string(phone), "name": .string(names.last ?? "none")])
    }

    /// Returns a text that was never used before.
    mutating func unused(_ text: String) -> String {
        fresh += 1
        return "\(text)-\(number)-\(fresh)-Quite-Long"
    }

    /// Skips a step that does not apply.
    mutating func pass() -> Bool {
        hasPassed = true
        return true
    }

    mutating func complain(_ text: String, _ answer: FlowClient.Answer? = nil) {
        troubles.append("life \(number): \(text)" + (answer.map { " (\($0.status) \($0.body))" } ?? ""))
    }

    /// Performs steps until the server stops answering.
    mutating func go(
        _ client: FlowClient,
        _ post: Postbox,
        burning fuse: Fuse,
        then end: @Sendable () async -> Void
    )
        async
    {
        while troubles.isEmpty {
            if fuse.burn() { await end() }
            let step: Step =
                isThere == .no ? .register : isVouched ? Step.all[next % Step.all.count] : .vouch
            next += 1
            hasPassed = false
            guard await take(step, client, post) else { return }
            if !hasPassed { done[step.rawValue, default: 0] += 1 }
        }
    }

    /// The index of an active session.
    var liveSession: Int? { sessions.lastIndex { $0.isAlive == .yes } }
}
