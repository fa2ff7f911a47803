import Foundation
import Testing

@Suite struct `Secret traces` {
    private static let secret = "Gr\"ünes/Gläs+ \\42%Ω"
    private let traces = SecretTraces("password", text: Self.secret)

    @Test(arguments: [
        Data(Self.secret.utf8),
        Data(Self.secret.utf8).base64EncodedData(),
        Data("x\(Self.secret)".utf8).base64EncodedData(),
        Data("xx\(Self.secret)xx".utf8).base64EncodedData(),
        Data((Self.secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "").utf8),
        (try? JSONEncoder().encode(["password": Self.secret])) ?? Data(),
        (try? JSONSerialization.data(withJSONObject: ["a": Self.secret])) ?? Data(),
        Self.secret.data(using: .utf16LittleEndian) ?? Data(),
        Self.secret.data(using: .utf16BigEndian) ?? Data(),
        Data(Data(Self.secret.utf8).map { String(format: "%02X", $0) }.joined().utf8),
        Data(#"Gr\"\u00fcnes/Gl\u00e4s+ \\42%\u03a9"#.utf8),
    ])
    func `A secret is found in every encoding`(planted: Data) {
        let dump = Data("before".utf8) + planted + Data("after".utf8)
        #expect(!traces.found(in: dump).isEmpty)
    }

    @Test func `Every encoding of a secret is at least twelve bytes long and can be found`() {
        for trace in traces.traces {
            #expect(trace.bytes.count >= 12)
            #expect(!traces.found(in: Data([0, 1]) + Data(trace.bytes) + Data([2])).isEmpty)
        }
    }

    @Test func `No traces are found in text without secrets`() {
        #expect(traces.found(in: Data("the password is a good one".utf8)).isEmpty)
        #expect(traces.found(in: Data()).isEmpty)
    }
}
