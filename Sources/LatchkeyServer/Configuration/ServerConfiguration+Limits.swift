extension ServerConfiguration {
    /// So many times within so long; the window slides.
    public struct Rate: Hashable, Sendable {
        /// How many times.
        public var count: Int

        /// Within how long.
        public var window: Duration

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - count: How many times.
        ///   - window: Within how long.
        public init(_ count: Int, per window: Duration) {
            self.count = count
            self.window = window
        }
    }

    /// How often phones, accounts and network addresses may do what, over all flows; an empty list lifts a limit.
    ///
    /// A limit of an address holds for an IPv4 address and for the 64 leading bits of an IPv6 address; the 56 and 48
    /// leading bits have twice and four times as much.
    public struct Limits: Sendable {
        /// Codes sent to one phone.
        public var codesPerPhone = [
            Rate(1, per: .seconds(30)), Rate(5, per: .seconds(3600)), Rate(10, per: .seconds(86_400)),
        ]

        /// Codes that one address asks for.
        public var codesPerAddress = [Rate(30, per: .seconds(3600))]

        /// Text messages to all phones together, for what they cost; half of them are reserved for proven addresses.
        public var textMessages = [Rate(1000, per: .seconds(3600))]

        /// Wrong guesses at the codes of one phone.
        public var wrongCodesPerPhone = [Rate(10, per: .seconds(86_400))]

        /// Codes a day beyond ``codesPerPhone`` that a known network of the account can ask for.
        public var codesOnKnownNetworks = [Rate(1, per: .seconds(30)), Rate(3, per: .seconds(86_400))]

        /// Wrong guesses a day beyond ``wrongCodesPerPhone`` on known networks of the account.
        public var wrongCodesOnKnownNetworks = [Rate(5, per: .seconds(86_400))]

        /// Guesses that one code takes.
        public var guessesPerCode = 5

        /// Wrong passwords from one address.
        public var failuresPerAddress = [Rate(100, per: .seconds(3600))]

        /// Different accounts at which one address fails.
        public var accountsPerAddress = [Rate(10, per: .seconds(3600))]

        /// Wrong passwords of one account on all networks that its owner has not logged in from, and on each known one.
        public var failuresPerAccount = [Rate(60, per: .seconds(86_400))]

        /// Registrations from one address, refused ones included.
        public var registrationsPerAddress = [
            Rate(60, per: .seconds(10)), Rate(250, per: .seconds(3600)),
        ]

        /// Changes of password, identifiers and addresses of one account, refused ones included.
        public var changesPerAccount = [Rate(20, per: .seconds(3600))]

        /// Certificates issued to one session, renewals included.
        public var enrolmentsPerSession = [Rate(20, per: .seconds(86_400))]

        /// Wrong passwords of one account on one network before there is a wait.
        public var freeFailures = 5

        /// The first wait after that; each further failure doubles it.
        public var firstWait: Duration = .seconds(60)

        /// The longest wait; zero lifts the limit.
        public var longestWait: Duration = .seconds(3600)

        /// For how long a wrong password counts on its network.
        public var failureMemory: Duration = .seconds(86_400)

        /// Creates the defaults.
        public init() {}
    }
}
