/// The flag that bounds a list.
enum OperatorLimit {
    static let option = Option("limit", "NUMBER", "How many at most; all without it.")

    /// Its value; nothing when it was not given.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage`.
    static func value(_ arguments: Arguments) throws(CommandFailure) -> Int? {
        guard let text = arguments["limit"] else { return nil }
        guard let limit = Int(text), limit > 0 else {
            throw CommandFailure(.usage, "--limit is a whole number above 0")
        }
        return limit
    }
}
