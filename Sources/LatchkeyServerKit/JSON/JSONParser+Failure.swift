import LatchkeyModel

extension JSONParser {
    /// The error thrown when the parser rejects its input.
    ///
    /// The error contains the position, but doesn't quote any input other than a ``PlainName``.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The reason why the parser rejected its input.
        package enum Problem: Hashable, Sendable {
            /// The text isn't valid JSON.
            case syntax
            /// A string isn't UTF-8.
            case encoding
            /// Objects and arrays are nested deeper than ``JSONParser/depthLimit``.
            case depth
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

        /// The reason why the parser rejected a text that isn't the body of a request.
        ///
        /// For a syntax error, the description includes the byte offset.
        package var description: String {
            problem == .syntax
                ? "The text is not valid JSON: error at byte \(offset)." : reason(for: "The text")
        }

        /// The reason for rejecting a request body.
        ///
        /// For a syntax error, the reason doesn't include the position of the error.
        package var refusal: String { reason(for: "The body") }

        private func reason(for text: String) -> String {
            switch problem {
            case .syntax: "\(text) is not valid JSON."
            case .encoding: "\(text) is \(InvalidUTF8(offset: offset))."
            case .depth: "\(text) is nested more than \(JSONParser.depthLimit) levels deep."
            case .null: "The text contains the character U+0000, which is not allowed, before byte \(offset)."
            case .duplicate(let name):
                PlainName(name).map { "\(text) contains the member \"\($0)\" more than once." }
                    ?? "\(text) contains a member more than once."
            case .longName: "\(text) has a member whose name is longer than \(JSONParser.nameLimit) bytes."
            case .combiningMarks: CombiningMarks.reason
            }
        }
    }
}
