import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// Simulates attackers who guess passwords and codes for a month under the server's default limits, using a
/// virtual clock.
///
/// Each account is attacked from a different network every hour, so the account's limits are exhausted before
/// the network's limits. These aren't known networks of any account.
struct GuessingMonth {
    /// The number of accounts, networks and days to simulate.
    struct Scale {
        var accounts = 10_000
        var networks = 1000
        var days = 30
    }

    /// The result of one attack.
    struct Tally {
        /// The number of evaluated guesses per account.
        var judged: [Int]

        /// The maximum number of guesses for one account in a day, from midnight to midnight.
        var mostInADay = 0

        var textMessages = 0
        var mails = 0
    }

    private static let start = Timestamp(seconds: 1_800_000_000)

    private let scale: Scale
    private let limiter = Limiter(LimitRules(), key: HMACKey(bytes: [1]))
    private let known = KnownNetworks(key: HMACKey(bytes: [1]))

    init(_ scale: Scale) {
        self.scale = scale
    }

    /// Guesses passwords as often as the limits allow.
    func passwords() throws -> Tally {
        let limits = PasswordLimits(limiter, known: known)
        // A network can make its first five guesses for an account without waiting. After that, the waiting
        // time doubles with each guess.
        let schedule = [0, 0, 0, 0, 0, 60, 180, 420, 900, 1860]
        return try attack { account, network, hour, database in
            var judged = 0
            for second in schedule {
                let now = hour + .seconds(second)
                let verdict = try database.transaction {
                    try limits.reserve(account.limited, from: network, at: now, in: $0)
                }
                guard case .allowed = verdict else { break }
                judged += 1
            }
            return (judged, 0, 0)
        }
    }

    /// Requests codes and guesses them as often as the limits allow.
    func codes(by channel: Message.Channel) throws -> Tally {
        let limits = CodeLimits(limiter, known: known, texts: nil)
        return try attack { account, network, hour, database in
            let address = account.address(channel)
            var (judged, sent) = (0, 0)
            for second in stride(from: 0, to: 3600, by: 600) {
                let now = hour + .seconds(second)
                let request = CodeLimits.Request(
                    to: address,
                    from: network,
                    of: account.id,
                    isProven: true
                )
                guard
                    case .reserved = try database.transaction({ try limits.reserve(request, at: now, in: $0) }
                    )
                else { break }
                sent += 1
                for guess in 0..<5 {
                    let verdict = try database.transaction {
                        try limits.reserveGuess(
                            at: address,
                            of: account.id,
                            isFirst: guess == 0,
                            from: network,
                            at: now + .seconds(1),
                            in: $0
                        )
                    }
                    guard case .reserved = verdict else { break }
                    judged += 1
                }
            }
            return (judged, channel == .sms ? sent : 0, channel == .email ? sent : 0)
        }
    }

    private func attack(
        _ step: (Account, PeerAddress, Timestamp, MemoryLimits) throws -> (
            judged: Int, texts: Int, mails: Int
        )
    ) throws -> Tally {
        let database = MemoryLimits()
        let accounts = (0..<scale.accounts).map { Account(number: $0) }
        let peers = (0..<scale.networks).compactMap { number in
            IPAddress("10.\(number / 250).\(number % 250).1").map { PeerAddress($0) }
        }
        var tally = Tally(judged: Array(repeating: 0, count: scale.accounts))
        for day in 0..<scale.days {
            var today = Array(repeating: 0, count: scale.accounts)
            for hour in 0..<24 {
                let now = Self.start + .seconds((day * 24 + hour) * 3600)
                for number in accounts.indices {
                    let network = (number + (day * 24 + hour) * 7919) % scale.networks
                    let result = try step(accounts[number], peers[network], now, database)
                    today[number] += result.judged
                    tally.textMessages += result.texts
                    tally.mails += result.mails
                }
                database.cleanUp(at: now)
            }
            for number in accounts.indices { tally.judged[number] += today[number] }
            tally.mostInADay = max(tally.mostInADay, today.max() ?? 0)
        }
        return tally
    }

    private struct Account {
        let id: Identifier
        let number: Int

        init(number: Int) {
            self.number = number
            id = Identifier()
        }

        var limited: LimitedAccount { .identity(id) }

        func address(_ channel: Message.Channel) -> ContactAddress {
            switch channel {
            case .sms: ContactAddress(via: .sms, value: "+4670" + String(1_000_000 + number))
            case .email: ContactAddress(via: .email, value: "person\(number)@example.org")
            }
        }
    }
}
