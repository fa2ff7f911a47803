extension JSONParser {
    /// The error for a string that the parser rejects.
    ///
    /// The error contains the position, and quotes no input except a ``PlainName``.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The rule that the text violates.
        package enum Problem: Hashable, Sendable {
            /// The text is not valid JSON, or is nested too deeply.
            case syntax
            /// The text contains the character U+0000, which JSON allows but the parser does not.
            case null
            /// A name occurs twice in one object.
            case duplicate(String)
            /// A name has more than ``JSONParser/nameLimit`` bytes.
            case longName
            /// A string has more consecutive combining marks than ``CombiningMarks/limit``.
            case combiningMarks
        }

        /// The byte offset at which parsing stopped, counted from 0.
        package let offset: Int

        /// The kind of error, for which callers choose a message.
        package var problem = Problem.syntax

        /// Whether the text was rejected because of the character U+0000.
        package var isNull: Bool { problem == .null }

        /// The reason, with the byte offset for a syntax error.
        package var description: String {
            problem == .syntax ? "The text is not valid JSON: error at byte \(offset)." : refusal
        }

        /// The reason for rejecting a request body, without the offset of a syntax error.
        package var refusal: String {
            switch problem {
            case .syntax: "The body is not valid JSON."
            case .null: "The text contains the character U+0000, which is not allowed, before byte \(offset)."
            case .duplicate(let name):
                PlainName(name).map { "The body contains the member \"\($0)\" more than once." }
                    ?? "The body contains a member more than once."
            case .longName:
                "The body has a member whose name is longer than \(JSONParser.nameLimit) bytes."
            case .combiningMarks: CombiningMarks.reason
            }
        }
    }
}
