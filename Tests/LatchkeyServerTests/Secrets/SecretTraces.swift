import Foundation
import LatchkeyModel
import LatchkeyWire

/// The encodings in which a secret could appear in a file or a log.
struct SecretTraces: Sendable {
    struct Trace: Sendable, CustomStringConvertible {
        let form: String
        let bytes: [UInt8]

        var description: String { form }
    }

    let name: String
    let traces: [Trace]

    /// Encodes a secret text in every form in which it could be leaked.
    init(_ name: String, text: String) {
        self.name = name
        traces = Self.binaryForms(Array(text.utf8)) + Self.textForms(text)
    }

    /// Creates the traces of a binary secret, such as a key, in all encodings in which it could be leaked.
    init(_ name: String, bytes: [UInt8]) {
        self.name = name
        traces = Self.binaryForms(bytes)
    }

    /// Returns the encodings of the secret that occur in a dump.
    func found(in dump: Data) -> [String] {
        traces.filter { dump.range(of: Data($0.bytes)) != nil }.map { "\(name), \($0.form)" }
    }

    private static func binaryForms(_ bytes: [UInt8]) -> [Trace] {
        var traces = [Trace(form: "clear", bytes: bytes)]
        for offset in 0..<3 {
            let url = base64URL(bytes, offset: offset)
            let standard = String(url.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
            traces.append(Trace(form: "base64 at \(offset)", bytes: Array(standard.utf8)))
            traces.append(Trace(form: "base64url at \(offset)", bytes: Array(url.utf8)))
        }
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        traces.append(Trace(form: "hexadecimal", bytes: Array(hex.utf8)))
        traces.append(Trace(form: "hexadecimal, upper case", bytes: Array(hex.uppercased().utf8)))
        return traces
    }

    private static func textForms(_ text: String) -> [Trace] {
        let percent = QueryItems.encode(text)
        let all = text.utf8.map { String(format: "%%%02X", $0) }.joined()
        var forms = [
            ("percent", percent),
            ("percent, lower case", lowercasingEscapes(percent)),
            ("form", percent.replacing("%20", with: "+")),
            ("percent, every byte", all),
            ("percent, every byte, lower case", all.lowercased()),
            ("JSON", json(text)),
            ("JSON with escaped slashes", json(text).replacing("/", with: "\\/")),
            ("JSON in ASCII", asciiJSON(text)),
        ].map { Trace(form: $0.0, bytes: Array($0.1.utf8)) }
        let units = Array(text.utf16)
        forms.append(
            Trace(
                form: "UTF-16, little end first",
                bytes: units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            )
        )
        forms.append(
            Trace(form: "UTF-16, big end first", bytes: units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        )
        return forms
    }

    /// Returns the Base64 characters that encode only the given bytes, if the bytes are at the given offset
    /// in a longer text.
    private static func base64URL(_ bytes: [UInt8], offset: Int) -> String {
        let characters = Base64URL.encode([UInt8](repeating: 0, count: offset) + bytes)
        let first = (8 * offset + 5) / 6
        let end = 8 * (offset + bytes.count) / 6
        return String(characters.dropFirst(first).prefix(end - first))
    }

    private static func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    private static func asciiJSON(_ text: String) -> String {
        json(text).utf16
            .map { $0 < 128 ? String(UnicodeScalar(UInt8($0))) : String(format: "\\u%04x", $0) }
            .joined()
    }

    private static func lowercasingEscapes(_ text: String) -> String {
        text.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
    }
}
