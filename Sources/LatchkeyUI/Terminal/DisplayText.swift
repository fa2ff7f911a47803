extension String {
    /// Longer texts are truncated to this number of characters.
    private static let displayLimit = 2000

    /// The text without any characters that control the terminal or affect the direction of other text.
    ///
    /// The texts in forms can come from servers and other users. If they were shown unchanged, such texts
    /// could move the cursor, forge a prompt or change the terminal's settings.
    package var displayable: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(Self.displayLimit) {
            if scalar.isLineSeparator {
                text.append(" ")
            } else if !scalar.isControl {
                text.append(scalar)
            }
        }
        return String(text)
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
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
