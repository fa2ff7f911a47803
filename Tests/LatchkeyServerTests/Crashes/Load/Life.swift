import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Somebody who goes through every flow again and again, with a ledger of what the server has said.
///
/// A step writes down what may come of it before it asks, and what has come of it when it is told. When it is not told,
/// the life stands still until the server is back and was asked what is so: one of both, and nothing in between.
struct Life: Sendable {
    /// What is known of something that may have changed.
    enum Known: Sendable { case yes, no, unknown }

    /// A session, as far as it is known.
    struct Session: Sendable {
        let token: String
        /// Whether a code opened it, so that it cannot replace a password.
        var isByCode = false
        var isAlive = Known.yes
        var key: SigningKey?
        var isCertified = Known.no
        /// The latest refresh token that the server gave.
        var refreshToken: Secret?
    }

    /// A code that was used up.
    struct UsedCode: Sendable {
        let kind: String
        let flow: String
        let body: JSONValue
    }

    let number: Int

    var isThere = Known.no
    var id: String?
    /// One of these is the password; none for somebody who has only codes.
    var passwords: [String] = []
    /// Whether nobody knows if the first password was set.
    var mayLackPassword = false
    var spentPasswords: [String] = []
    /// One of these is the name.
    var names: [String] = ["none"]
    var isVerified = Known.no
    /// Whether the operator has vouched for both addresses, so that codes open the account as it is.
    var isVouched = false
    var sessions: [Session] = []
    var used: [UsedCode] = []

    /// Messages with a code that the server said it would send, and those of which it said nothing.
    var sent: [String: Int] = [:]
    var maybeSent: [String: Int] = [:]

    /// How often each step was done.
    var done: [String: Int] = [:]

    /// What should not be so.
    var troubles: [String] = []

    /// Whether there was nothing to do in the last step.
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

    /// A text that was never used before.
    mutating func unused(_ text: String) -> String {
        fresh += 1
        return "\(text)-\(number)-\(fresh)-Quite-Long"
    }

    /// Leaves out a step that there is nothing for.
    mutating func pass() -> Bool {
        hasPassed = true
        return true
    }

    mutating func complain(_ text: String, _ answer: FlowClient.Answer? = nil) {
        troubles.append("life \(number): \(text)" + (answer.map { " (\($0.status) \($0.body))" } ?? ""))
    }

    /// Takes one step after the other, until nobody answers.
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

    /// A session that may be used.
    var liveSession: Int? { sessions.lastIndex { $0.isAlive == .yes } }
}
