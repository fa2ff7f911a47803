import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension SettingKind<String> {
    /// A JSON request template.
    ///
    /// In a configuration file, the template can be either a string or a JSON value.
    ///
    /// - Parameter channel: The channel, which determines which placeholders are available.
    /// - Returns: A setting kind that accepts valid templates and stores them as JSON text. Anything else is
    ///   rejected with the reason from ``RequestTemplate/Malformed``.
    package static func template(for channel: Message.Channel) -> SettingKind {
        SettingKind(wanted: "JSON") { input throws(SettingMismatch) in
            let bytes: [UInt8]?
            switch input {
            case .text(let text), .json(.string(let text)): bytes = Array(text.utf8)
            case .json(let value): bytes = try? JSONCoding.encode(value)
            }
            guard let bytes else { throw SettingMismatch(input, wanted: "JSON") }
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(RequestTemplate.Malformed) {
                _ = try RequestTemplate(text, for: channel)
            } catch {
                throw SettingMismatch(error.reason)
            }
            return text
        } show: {
            (try? JSONCoding.decode(JSONValue.self, from: Array($0.utf8))) ?? .string($0)
        }
    }
}
