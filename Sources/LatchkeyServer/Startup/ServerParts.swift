package import LatchkeyModel
package import LatchkeyServerKit

/// The external dependencies of a server.
///
/// Tests replace these dependencies.
package struct ServerParts: Sendable {
    /// The clock that all services and the log use.
    package var time: any TimeSource
    /// The source of random bytes for ids, tokens, codes and salts.
    package var random: any RandomSource
    /// The log that all services write to.
    package var log: Log

    /// Prints the messages of the development courier.
    ///
    /// This closure is called with one line per message. The messages contain codes, so they are never
    /// written to the log.
    package var terminal: @Sendable (String) -> Void

    /// Called with a sentence for the operator when a data folder gets its first data.
    package var dataCreated: @Sendable (String) -> Void = { _ in }

    /// The delay before the admin listener responds to a rejected request.
    ///
    /// The delay makes it harder to guess the admin token. Other responses are not delayed.
    package var adminDelay: Duration = .seconds(1)

    /// Creates the dependencies of a server.
    ///
    /// Several servers can share the same dependencies.
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

    /// Returns the dependencies for use in production.
    ///
    /// Servers with these dependencies use the system's clock and random source, log to standard error, and
    /// print messages to standard output.
    package static func system(logging level: LogLevel) -> ServerParts {
        let time = SystemTime()
        return ServerParts(time: time, random: SystemRandom(), log: Log(level, time: time)) { line in
            StandardStream.output.write(TerminalText(line) + TerminalText(.newLine))
        }
    }
}
