package import LatchkeyModel

/// What a server is given from outside, so that a test can give something else.
package struct ServerParts: Sendable {
    package var time: any TimeSource
    package var random: any RandomSource
    package var log: Log

    /// Takes the lines of the development courier, codes included; never the log.
    package var terminal: @Sendable (String) -> Void

    /// How long the answer to a refused request to the admin listener is held back.
    package var adminDelay: Duration = .seconds(1)

    package init(
        time: any TimeSource,
        random: any RandomSource,
        log: Log,
        terminal: @escaping @Sendable (String) -> Void
    ) {
        self.time = time
        self.random = random
        self.log = log
        self.terminal = terminal
    }

    /// The system's clock and randomness; the log to standard error, the development courier to standard output.
    package static func system(logging level: LogLevel) -> ServerParts {
        let time = SystemTime()
        return ServerParts(time: time, random: SystemRandom(), log: Log(level, time: time)) { line in
            Log.standardOutput(Array((line + "\n").utf8))
        }
    }
}
