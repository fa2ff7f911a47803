/// The flag that limits the length of a list.
enum OperatorLimit {
    /// The `--limit` flag.
    ///
    /// Use ``value(in:)`` to read the limit from the parsed arguments.
    static let option = Option("limit", value: "NUMBER", help: "The maximum number of entries. Default: all.")

    /// Returns the value of the flag, or `nil` if it wasn't given.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the value isn't a positive integer.
    static func value(in arguments: Arguments) throws(CommandFailure) -> Int? {
        guard let text = arguments["limit"] else { return nil }
        guard let limit = Int(text), limit > 0 else {
            throw CommandFailure(.usage, message: "--limit must be a whole number greater than 0")
        }
        return limit
    }
}
