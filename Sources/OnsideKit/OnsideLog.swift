import Latchkey

/// Writes OnsideKit's events to the app's logger.
struct OnsideLog: Sendable {
    private let logger: (any LatchkeyLogger)?

    init(_ logger: (any LatchkeyLogger)?) {
        self.logger = logger
    }

    /// Writes an event to the log, prefixing its name with `onside.`.
    func write(_ level: LogEvent.Level, name: String, message: String) {
        logger?.log(LogEvent(level: level, name: "onside." + name, message: message))
    }
}
