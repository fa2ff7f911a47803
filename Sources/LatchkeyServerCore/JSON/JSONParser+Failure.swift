extension JSONParser {
    /// A text that is no JSON; says where and quotes no more than a plain name.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What is wrong with a text.
        package enum Problem: Hashable, Sendable {
            case syntax
            /// The character U+0000, which JSON allows.
            case null
            /// A name that occurs twice in one object.
            case duplicate(String)
            /// A name of more than ``JSONParser/nameLimit`` bytes.
            case longName
            /// More combining marks in a row than ``CombiningMarks/limit``.
            case combiningMarks
        }

        /// The byte at which reading stopped, counted from 0.
        package let offset: Int

        package var problem = Problem.syntax

        /// Whether the text contains the character U+0000.
        package var isNull: Bool { problem == .null }

        package var description: String {
            problem == .syntax ? "The text is no JSON from byte \(offset) on." : refusal
        }

        /// The reason for which the body of a request is refused.
        package var refusal: String {
            switch problem {
            case .syntax: "The body is no JSON."
            case .null: "The text holds the character U+0000 before byte \(offset), which is not taken here."
            case .duplicate(let name):
                PlainName(name).map { "The body names the member \"\($0)\" twice." }
                    ?? "The body names a member twice."
            case .longName:
                "The body has a member whose name is longer than \(JSONParser.nameLimit) bytes."
            case .combiningMarks: CombiningMarks.reason
            }
        }
    }
}
