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

    /// What one phone, account or address may do how often, over all flows; empty lists lift a limit.
    public struct Limits: Sendable {
        /// Codes sent to one phone.
        public var codesPerPhone = [
            Rate(1, per: .seconds(30)), Rate(5, per: .seconds(3600)), Rate(10, per: .seconds(86_400)),
        ]

        /// Codes that one address asks for.
        public var codesPerAddress = [Rate(30, per: .seconds(3600))]

        /// Text messages to all phones together, for what they cost; unlimited unless it says how many.
        public var textMessages: [Rate] = []

        /// Wrong guesses at the codes of one phone.
        public var wrongCodesPerPhone = [Rate(10, per: .seconds(86_400))]

        /// Guesses that one code takes.
        public var guessesPerCode = 5

        /// Failed passwords from one address.
        public var failuresPerAddress = [Rate(100, per: .seconds(3600))]

        /// Certificates issued to one session, renewals included.
        public var enrolmentsPerSession = [Rate(20, per: .seconds(86_400))]

        /// Failed passwords of one account before there is a wait.
        public var freeFailures = 5

        /// The first wait after that; each further failure doubles it.
        public var firstWait: Duration = .seconds(60)

        /// The longest wait; zero lifts the limit.
        public var longestWait: Duration = .seconds(3600)

        /// For how long a failed password counts.
        public var failureMemory: Duration = .seconds(86_400)

        /// Creates the defaults.
        public init() {}
    }
}
