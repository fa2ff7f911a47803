import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Passes numbers that Foundation can't represent through its JSON encoder and decoder.
///
/// Such a number is replaced by a string that begins with a mark, and ``JSONValue`` reads and writes it in
/// this form. The mark is random and never leaves the process, so other strings can't be mistaken for
/// numbers.
enum ExactNumbers {
    /// The key under which the coders find out that marked strings are allowed.
    ///
    /// The value is a `Locked<Bool>`, which becomes `true` when a number is marked.
    static let key: CodingUserInfoKey = {
        // The initializer only returns nil for key types that restrict their raw values, and this one doesn't.
        guard let key = CodingUserInfoKey(rawValue: "latchkey.numbers") else { preconditionFailure() }
        return key
    }()

    private static let mark: String = {
        var random = SystemRandomNumberGenerator()
        return "number-\(random.next())-\(random.next()):"
    }()

    /// Returns a JSON text in which the numbers that Foundation can't represent are marked strings, or
    /// `nil` if there are none.
    static func marking(_ json: [UInt8]) -> [UInt8]? {
        var marked: [UInt8] = []
        var copied = 0
        var index = 0
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""): index = end(ofString: index, in: json)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard let length = JSONNumber.length(ofNumberAtStartOf: json[index...]), length > 0 else {
                    // This isn't JSON. A scan of each digit would take quadratic time.
                    index = json[index...].firstIndex { !isPartOfNumber($0) } ?? json.count
                    continue
                }
                let text = json[index..<(index + length)]
                if isLost(text) {
                    marked += json[copied..<index]
                    marked += quoted(text)
                    copied = index + length
                }
                index += length
            default: index += 1
            }
        }
        return marked.isEmpty ? nil : marked + json[copied...]
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Returns a JSON text in which marked strings are numbers again.
    static func unmarking(_ json: [UInt8]) -> [UInt8] {
        let start = Array("\"\(mark)".utf8)
        var result: [UInt8] = []
        var index = 0
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                result.append(json[index])
                index += 1
                continue
            }
            let end = end(ofString: index, in: json)
            let string = json[index..<end]
            result += string.starts(with: start) ? string.dropFirst(start.count).dropLast() : string
            index = end
        }
        return result
    }

    /// Returns the string that stands for a number.
    static func marked(_ number: JSONNumber) -> String { mark + number.description }

    /// Returns the number that a string stands for, or `nil` if the string isn't marked.
    static func number(inMarked text: String) -> JSONNumber? {
        text.utf8.starts(with: mark.utf8) ? JSONNumber(String(text.dropFirst(mark.count))) : nil
    }

    /// Returns whether a number would have another value after it was read as an `Int64` or a `Double`.
    private static func isLost(_ text: ArraySlice<UInt8>) -> Bool {
        // A `Double` is exact to 15 digits.
        guard text.count > 15 || text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
            return false
        }
        guard case .number(let number) = JSONValue(numberText: text) else { return false }
        let double = number.double
        return !double.isFinite || DecimalNumber(JSONWriter.text(of: double).utf8) != DecimalNumber(text)
    }

    private static func quoted(_ number: ArraySlice<UInt8>) -> [UInt8] {
        Array("\"\(mark)".utf8) + number + [UInt8(ascii: "\"")]
    }

    /// Returns the index after the closing quotation mark of a string.
    private static func end(ofString start: Int, in json: [UInt8]) -> Int {
        var index = start + 1
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            index += json[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, json.count)
    }
}
