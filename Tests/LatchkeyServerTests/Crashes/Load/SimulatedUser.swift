import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// A user who performs random steps in all flows and keeps a ledger of the acknowledged outcomes.
///
/// Each step records the possible outcomes before it sends its request, and the actual outcome after the
/// response. If there is no response, the user waits until the server is running again, and then finds out
/// which of the possible outcomes has occurred. There must be exactly one.
struct SimulatedUser: Sendable {
    /// Whether a change is known to have taken effect.
    enum Knowledge: Sendable { case yes, no, unknown }

    /// A session and what the user knows about its state.
    struct Session: Sendable {
        let token: String
        /// Whether the session was created with a code and therefore cannot replace a password.
        var isByCode = false
        var isAlive = Knowledge.yes
        var key: SigningKey?
        var isCertified = Knowledge.no
        /// The latest refresh token.
        var refreshToken: Secret?
    }

    /// A code that has been used.
    struct UsedCode: Sendable {
        let kind: String
        let flow: String
        let body: JSONValue
    }

    let number: Int

    var exists = Knowledge.no
    var id: String?
    /// The possible passwords of the account, exactly one of which is valid.
    ///
    /// The list is empty if the user has no password.
    var passwords: [String] = []
    /// Whether the account might not have a password yet.
    ///
    /// This is the case if the user tried to set the first password but the response was lost.
    var mayLackPassword = false
    var spentPasswords: [String] = []
    /// The names that the account could have at this point.
    ///
    /// The server stores exactly one of these names.
    var names: [String] = ["none"]
    var isVerified = Knowledge.no
    /// Whether the operator has proven both addresses, so that logging in with a code does not change the
    /// account.
    var isProven = false
    var sessions: [Session] = []
    var used: [UsedCode] = []

    /// How many messages with a code were requested, with separate counts for acknowledged requests and for
    /// requests without a response.
    var sent: [String: Int] = [:]
    var maybeSent: [String: Int] = [:]

    /// The number of completed steps by kind.
    var done: [String: Int] = [:]

    /// The expectations that the server has violated.
    var violations: [String] = []

    /// Whether the last step was skipped.
    private var isSkipped = false
    private var next: Int
    private var fresh = 0

    init(_ number: Int) {
        self.number = number
        next = number
    }

    var email: String { "user\(number)@example.org" }
    var phone: String { "+4366\(1_000_000 + number)" }

    var traits: JSONValue {
        .object(["email": .string(email), "phone": .string(phone), "name": .string(names.last ?? "none")])
    }

    /// Returns a text that has not been used before.
    mutating func unused(_ text: String) -> String {
        fresh += 1
        return "\(text)-\(number)-\(fresh)-Quite-Long"
    }

    /// Skips a step that is not possible in the current state.
    mutating func skip() -> Bool {
        isSkipped = true
        return true
    }

    mutating func report(_ text: String, _ answer: FlowClient.Answer? = nil) {
        violations.append("user \(number): \(text)" + (answer.map { " (\($0.status) \($0.body))" } ?? ""))
    }

    /// Performs steps until the server stops responding.
    mutating func run(
        _ client: FlowClient,
        _ mailbox: CodeMailbox,
        until countdown: Countdown,
        then end: @Sendable () async -> Void
    )
        async
    {
        while violations.isEmpty {
            if countdown.reachesZero() { await end() }
            let step: Step =
                exists == .no ? .register : isProven ? Step.all[next % Step.all.count] : .proveAddresses
            next += 1
            isSkipped = false
            guard await perform(step, client, mailbox) else { return }
            if !isSkipped { done[step.rawValue, default: 0] += 1 }
        }
    }

    /// The index of an active session.
    var liveSession: Int? { sessions.lastIndex { $0.isAlive == .yes } }
}
