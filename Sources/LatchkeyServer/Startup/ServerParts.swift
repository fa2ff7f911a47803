package import LatchkeyModel
package import LatchkeyServerKit

/// The external dependencies of a server, which tests replace.
package struct ServerParts: Sendable {
    /// The clock of all services and of the log.
    package var time: any TimeSource
    /// The random source for ids, tokens, codes and salts.
    package var random: any RandomSource
    /// The logger that all services use.
    package var log: Log

    /// Prints the messages of the development courier, which include codes and are never logged.
    ///
    /// The closure is called with one line for each message.
    package var terminal: @Sendable (String) -> Void

    /// The delay before the server responds to a rejected request on the admin listener.
    ///
    /// Only these responses are delayed, which slows down guessing of the admin token.
    package var adminDelay: Duration = .seconds(1)

    /// Creates the dependencies of a server, which several servers can share.
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

    /// Returns dependencies that use the system's clock and random source, log to standard error, and print
    /// messages to standard output.
    package static func system(logging level: LogLevel) -> ServerParts {
        let time = SystemTime()
        return ServerParts(time: time, random: SystemRandom(), log: Log(level, time: time)) { line in
            Log.standardOutput(Array((line + "\n").utf8))
        }
    }
}
