/// Text that can be written to a terminal.
///
/// The texts that a program prints can come from servers and other users. If they were printed unchanged,
/// they could move the cursor, forge a prompt or change the terminal's settings. Everything that writes to a
/// terminal therefore accepts this type instead of a string. The program's own control sequences are
/// ``Sequence`` values, so that no string can contain one.
package struct TerminalText: Hashable, Sendable {
    /// A control sequence that the program itself writes.
    package enum Sequence: String, Sendable {
        case newLine = "\n"
        /// Moves the cursor to the start of the line and clears the line.
        case clearLine = "\r\u{1B}[K"
    }

    /// The text to write.
    package let text: String

    private init(unchecked text: String) {
        self.text = text
    }

    /// Creates a single line from any text.
    ///
    /// Tabs and line breaks become spaces. Other control characters are removed, and so are the invisible
    /// characters that change the direction of the text around them.
    package init(_ line: String) {
        guard line.unicodeScalars.contains(where: \.isUnsafeOnTerminal) else {
            self.init(unchecked: line)
            return
        }
        var kept = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if scalar.isLineSeparator {
                kept.append(" ")
            } else if !scalar.isUnsafeOnTerminal {
                kept.append(scalar)
            }
        }
        self.init(unchecked: String(kept))
    }

    /// Creates a single line of JSON, in which unsafe characters are written as `\u` sequences.
    ///
    /// No information is lost: parsing the line results in the same value.
    ///
    /// - Parameter json: A JSON text without white space outside of strings.
    package init(json: String) {
        guard json.unicodeScalars.contains(where: \.isUnsafeOnTerminal) else {
            self.init(unchecked: json)
            return
        }
        var escaped = ""
        for scalar in json.unicodeScalars {
            guard scalar.isUnsafeOnTerminal else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        self.init(unchecked: escaped)
    }

    /// Creates a text that consists of a control sequence.
    package init(_ sequence: Sequence) {
        self.init(unchecked: sequence.rawValue)
    }

    /// Returns a text that consists of two others.
    package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
        TerminalText(unchecked: left.text + right.text)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a tab or a line break.
    fileprivate var isLineSeparator: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether the scalar is a control character or an invisible format character, such as one that changes
    /// the text direction.
    fileprivate var isUnsafeOnTerminal: Bool {
        // Looking up Unicode properties is slow, so handle ASCII first.
        if isASCII { return !(0x20...0x7E).contains(value) }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return true
        default: return false
        }
    }
}
