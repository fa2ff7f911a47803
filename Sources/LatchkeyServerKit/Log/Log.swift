package import LatchkeyModel
import LatchkeyWire

/// A logger that writes each event as a JSON object on its own line.
package struct Log: Sendable {
    /// A named value that provides details about an event.
    package struct Field: Sendable {
        let name: StaticString
        let value: any Loggable

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name, which must be a constant other than the reserved names `time`, `level`,
        ///     `event` and `request_id`.
        ///   - value: The value. The value must either contain no secrets or redact them.
        package init(_ name: StaticString, _ value: any Loggable) {
            self.name = name
            self.value = value
        }
    }

    /// A function that writes one log line.
    ///
    /// The bytes that the function receives include the line feed.
    ///
    /// The function may be called concurrently from any thread that logs an event.
    package typealias Sink = @Sendable ([UInt8]) -> Void

    /// The most verbose level that is logged.
    package let level: LogLevel

    private let time: any TimeSource
    private let sink: Sink

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - level: The most verbose level to write to the log.
    ///   - time: The clock that provides the timestamps of events.
    ///   - sink: The function that writes each line. By default, lines are written to standard error.
    package init(_ level: LogLevel, time: any TimeSource, to sink: @escaping Sink = Log.standardError) {
        self.level = level
        self.time = time
        self.sink = sink
    }

    /// Logs an event unless it is more verbose than the logger's level.
    ///
    /// The calling thread is blocked until the sink has written the line.
    ///
    /// - Parameters:
    ///   - level: The severity of the event.
    ///   - event: The name of the event in dotted form, such as `server.started`. The name must be a
    ///     constant.
    ///   - fields: Details about the event. The id of the current request is added automatically.
    package func write(_ level: LogLevel, _ event: StaticString, _ fields: Field...) {
        guard level <= self.level else { return }
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("time")
            writer.time(time.now)
            writer.name("level")
            writer.string(level.rawValue)
            writer.name("event")
            writer.string(event.description)
            for field in fields {
                writer.name(field.name)
                writer.value(field.value.logged)
            }
            if let request = RequestID.current {
                writer.name("request_id")
                writer.string(request)
            }
        }
        sink(writer.bytes + [UInt8(ascii: "\n")])
    }

    /// Writes a line to standard error.
    ///
    /// Fields can contain text from clients, and operators read the log in a terminal.
    package static let standardError: Sink = { line in
        let json = TerminalText(json: String(decoding: line.dropLast(), as: UTF8.self))
        StandardStream.error.write(json + TerminalText(.newLine))
    }
}
