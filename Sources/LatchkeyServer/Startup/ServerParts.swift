package import LatchkeyModel
package import LatchkeyServerKit

/// The external dependencies of a server, which tests replace.
package struct ServerParts: Sendable {
    package var time: any TimeSource
    package var random: any RandomSource
    package var log: Log

    /// Prints the messages of the development courier, which include codes; they are never logged.
    package var terminal: @Sendable (String) -> Void

    /// The delay of the response to a refused request on the admin listener.
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

    /// Returns the system's clock and randomness; logs to standard error and prints messages to standard
    /// output.
    package static func system(logging level: LogLevel) -> ServerParts {
        let time = SystemTime()
        return ServerParts(time: time, random: SystemRandom(), log: Log(level, time: time)) { line in
            Log.standardOutput(Array((line + "\n").utf8))
        }
    }
}
