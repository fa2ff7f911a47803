import LatchkeyServerKit
import LatchkeyWire

extension SettingKind<String> {
    /// A folder that is empty only if there is no default folder.
    static let folder = SettingKind(wanted: text.wanted) { input throws(SettingMismatch) in
        try text.read(input)
    } show: {
        $0.isEmpty ? .null : .string($0)
    }

    /// An address to listen on, without a port.
    static let listenAddress = SettingKind(wanted: "an IP address or a host name") {
        input throws(SettingMismatch) in
        let host = try text.read(input)
        let inner = host.dropFirst().dropLast()
        if host.hasPrefix("["), host.hasSuffix("]"), IPAddress(String(inner)) != nil {
            throw SettingMismatch("\"\(host)\" must be written without brackets: \(inner)")
        }
        let unzoned = String(host.prefix { $0 != "%" })
        let isName = !host.contains { $0.isWhitespace || "[]/@:".contains($0) }
        guard isName || IPAddress(unzoned) != nil else {
            throw SettingMismatch(input, wanted: "an IP address or a host name")
        }
        return host
    } show: {
        .string($0)
    }
}
