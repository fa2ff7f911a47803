extension ServerConfiguration {
    /// A maximum number of events in a sliding window.
    public struct Rate: Hashable, Sendable {
        /// The maximum number of events.
        public var count: Int

        /// The length of the window.
        public var window: Duration

        /// Creates a rate.
        ///
        /// - Parameters:
        ///   - count: The maximum number of events in the window.
        ///   - window: The length of the sliding window.
        public init(_ count: Int, per window: Duration) {
            self.count = count
            self.window = window
        }
    }

    /// Rate limits for phones, accounts and network addresses, across all flows; an empty list disables a
    /// limit.
    ///
    /// A limit per address applies to an IPv4 address or an IPv6 /64; the limits of a /56 and a /48 are two
    /// and four times as high.
    public struct Limits: Sendable {
        /// Codes sent to one phone number.
        public var codesPerPhone = [
            Rate(1, per: .seconds(30)), Rate(5, per: .seconds(3600)), Rate(10, per: .seconds(86_400)),
        ]

        /// Codes requested from one address.
        public var codesPerAddress = [Rate(30, per: .seconds(3600))]

        /// Text messages to all phone numbers, to bound their cost; half of them are reserved for verified
        /// addresses.
        public var textMessages = [Rate(1000, per: .seconds(3600))]

        /// Wrong guesses for the codes of one phone number.
        public var wrongCodesPerPhone = [Rate(10, per: .seconds(86_400))]

        /// Codes beyond ``codesPerPhone`` that can be requested from a known network of the account.
        public var codesOnKnownNetworks = [Rate(1, per: .seconds(30)), Rate(3, per: .seconds(86_400))]

        /// Wrong guesses beyond ``wrongCodesPerPhone`` from known networks of the account.
        public var wrongCodesOnKnownNetworks = [Rate(5, per: .seconds(86_400))]

        /// The number of guesses for one code.
        public var guessesPerCode = 5

        /// Wrong passwords from one address.
        public var failuresPerAddress = [Rate(100, per: .seconds(3600))]

        /// Different accounts with failed logins from one address.
        public var accountsPerAddress = [Rate(10, per: .seconds(3600))]

        /// Wrong passwords for one account from all networks without a previous login together, and from each
        /// known one.
        public var failuresPerAccount = [Rate(60, per: .seconds(86_400))]

        /// Registrations from one address, including refused ones.
        public var registrationsPerAddress = [
            Rate(60, per: .seconds(10)), Rate(250, per: .seconds(3600)),
        ]

        /// Changes of password, identifiers and addresses of one account, including refused ones.
        public var changesPerAccount = [Rate(20, per: .seconds(3600))]

        /// Certificates issued to one session, including renewals.
        public var enrolmentsPerSession = [Rate(20, per: .seconds(86_400))]

        /// Wrong passwords for one account from one network before the first wait.
        public var freeFailures = 5

        /// The first wait after ``freeFailures``; each further failure doubles it.
        public var firstWait: Duration = .seconds(60)

        /// The longest wait; zero disables the limit.
        public var longestWait: Duration = .seconds(3600)

        /// The period in which a wrong password counts for its network.
        public var failureMemory: Duration = .seconds(86_400)

        /// Creates the defaults.
        public init() {}
    }
}
