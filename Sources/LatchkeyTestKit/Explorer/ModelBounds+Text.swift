/// Thrown when a text can't be parsed as bounds.
package struct BoundsParseError: Error, CustomStringConvertible {
    /// The text that can't be parsed, and the expected format.
    package let description: String
}

extension ModelBounds {
    /// Parses bounds such as `processes=2,callers=3,refreshes=2,crashes=any`.
    ///
    /// Bounds that are left out default to 0, except for processes, callers and logins, which default to 1,
    /// and requests, which default to one per caller.
    ///
    /// There must be 1 to 4 processes and 0 to 8 callers. All other bounds must be between 0 and 14.
    ///
    /// - Parameter text: Comma-separated bounds. `any` means ``unlimited``.
    /// - Throws: ``BoundsParseError`` if a name is unknown or a number is out of range.
    package init(_ text: String) throws(BoundsParseError) {
        self.init(processes: 1, callers: 1)
        var requests: UInt8?
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2 else {
                throw BoundsParseError(description: "\(part): expected NAME=NUMBER")
            }
            let (name, value) = (sides[0], sides[1])
            if name == "processes" || name == "callers" {
                guard let number = Int(value), (name == "callers" ? 0...8 : 1...4).contains(number) else {
                    throw BoundsParseError(
                        description: "\(part): expected 1 to 4 processes or 0 to 8 callers"
                    )
                }
                if name == "callers" { callers = number } else { processes = number }
                continue
            }
            guard let bound = Self.names.first(where: { $0.name == name })?.bound else {
                let known = Self.names.map(\.name).joined(separator: ", ")
                throw BoundsParseError(
                    description: "\(name) is not a bound; expected processes, callers, \(known)"
                )
            }
            guard let number = value == "any" ? Self.unlimited : UInt8(value),
                value == "any" || number < Self.unlimited
            else {
                throw BoundsParseError(description: "\(part): expected 0 to \(Self.unlimited - 1), or any")
            }
            if name == "requests" { requests = number }
            self[keyPath: bound] = number
        }
        self.requests = requests ?? UInt8(callers)
    }
}

extension ModelBounds {
    /// The bounds in the format that the initializer parses, leaving out bounds that are 0.
    package var description: String {
        let parts = Self.names.compactMap { name, bound in
            switch self[keyPath: bound] {
            case 0: nil as String?
            case Self.unlimited: "\(name)=any"
            case let number: "\(name)=\(number)"
            }
        }
        return (["processes=\(processes)", "callers=\(callers)"] + parts).joined(separator: ",")
    }
}
