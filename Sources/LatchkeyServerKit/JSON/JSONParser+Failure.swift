extension JSONParser {
    /// The error thrown when the parser rejects its input.
    ///
    /// The error contains the position, but doesn't quote any input other than a ``PlainName``.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The reason why the parser rejected its input.
        package enum Problem: Hashable, Sendable {
            /// The text isn't valid JSON, or it is nested too deeply.
            case syntax
            /// The text contains the character U+0000, which JSON allows but the parser rejects.
            case null
            /// An object contains the same name twice.
            case duplicate(String)
            /// A name is longer than ``JSONParser/nameLimit`` bytes.
            case longName
            /// A string has more consecutive combining marks than ``CombiningMarks/limit``.
            case combiningMarks
        }

        /// The byte offset at which parsing stopped, starting at 0.
        package let offset: Int

        /// The kind of error, which callers use to choose an error message.
        package var problem = Problem.syntax

        /// Whether the text was rejected because it contains the character U+0000.
        package var isNull: Bool { problem == .null }

        /// The reason why the parser rejected the text.
        ///
        /// For a syntax error, the description includes the byte offset.
        package var description: String {
            problem == .syntax ? "The text is not valid JSON: error at byte \(offset)." : refusal
        }

        /// The reason for rejecting a request body.
        ///
        /// For a syntax error, the reason doesn't include the position of the error.
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
