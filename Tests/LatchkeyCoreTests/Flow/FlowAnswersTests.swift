import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Answers to forms` {
    /// A form, a set of answers, and the body that is submitted.
    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var nodes: [FlowNode]
        let answers: FlowSubmission
        let body: JSONValue
    }

    private static func input(
        _ name: String,
        _ kind: FlowInput.Kind = .text,
        group: FlowNode.Group = .common,
        value: JSONValue? = nil,
        isDisabled: Bool = false
    ) -> FlowNode {
        FlowNode(
            group: group,
            attributes: .input(FlowInput(name: name, kind: kind, value: value, isDisabled: isDisabled))
        )
    }

    static let examples = [
        Example(
            testDescription: "hidden inputs of the chosen method and the default group are submitted",
            nodes: [
                input("csrf_token", .hidden, value: ""),
                input("identifier", .hidden, value: "a@example.org"),
                input("flavor", .hidden, group: .code, value: "plain"),
                input("other", .hidden, group: .password, value: "no"),
                input("method", .hidden, group: .code, value: "code"),
                input("code", group: .code),
                input("resend", .submit, group: .code, value: "code"),
            ],
            answers: FlowSubmission(method: "code", ["code": "123456"]),
            body: [
                "method": "code", "identifier": "a@example.org", "flavor": "plain", "code": "123456",
            ]
        ),
        Example(
            testDescription: "dots in names create nested objects",
            nodes: [input("traits.name.first", value: "User"), input("traits.email")],
            answers: FlowSubmission(method: "password", ["traits.email": "a@example.org", "password": "x"]),
            body: [
                "method": "password", "password": "x",
                "traits": ["email": "a@example.org", "name": ["first": "User"]],
            ]
        ),
        Example(
            testDescription: "an answer for an object replaces all of its members",
            nodes: [input("traits.email", .hidden, value: "a@example.org"), input("traits.age", value: 44)],
            answers: FlowSubmission(method: "code", ["traits": ["email": "b@example.org"]]),
            body: ["method": "code", "traits": ["email": "b@example.org"]]
        ),
        Example(
            testDescription: "an input with a null answer is omitted",
            nodes: [input("traits.email", value: "a@example.org"), input("traits.age", value: 44)],
            answers: FlowSubmission(method: "profile", ["traits.age": .null]),
            body: ["method": "profile", "traits": ["email": "a@example.org"]]
        ),
        Example(
            testDescription: "disabled inputs and buttons are not submitted",
            nodes: [
                input("region", value: "AT", isDisabled: true),
                input("method", .submit, group: .profile, value: "profile"),
                input("screen", .submit, group: .profile, value: "previous"),
            ],
            answers: FlowSubmission(method: "profile"),
            body: ["method": "profile"]
        ),
        Example(
            testDescription: "text answers for numbers and checkboxes are converted",
            nodes: [
                input("traits.age", .number), input("traits.size", .number), input("traits.odd", .number),
                input("traits.news", .checkbox), input("traits.ads", .checkbox),
            ],
            answers: FlowSubmission(
                method: "profile",
                [
                    "traits.age": "44", "traits.size": "1.5", "traits.odd": "many", "traits.news": "on",
                    "traits.ads": false,
                ]
            ),
            body: [
                "method": "profile",
                "traits": ["age": 44, "size": 1.5, "odd": "many", "news": true, "ads": false],
            ]
        ),
        Example(
            testDescription:
                "codes and phone numbers are cleaned, and numbers can have the digits of any script",
            nodes: [
                input("code", group: .code), input("traits.phone", .phone), input("traits.mobile", .phone),
                input("traits.age", .number), input("traits.size", .number), input("traits.name"),
            ],
            answers: FlowSubmission(
                method: "code",
                [
                    "code": "٢٧١ ٥٠١\n", "traits.phone": "+٤٣ (٩٩٩) ٩٩٩٩٩٩٩", "traits.mobile": "0043 999",
                    "traits.age": "٤٤", "traits.size": "-１.５", "traits.name": "٤٤",
                ]
            ),
            body: [
                "method": "code", "code": "271501",
                "traits": [
                    "phone": "+439999999999", "mobile": "0043 999", "age": 44, "size": -1.5, "name": "٤٤",
                ],
            ]
        ),
        Example(
            testDescription: "text that only a compiler reads as a number is submitted unchanged",
            nodes: ["a", "b", "c", "d"].map { input("traits.\($0)", .number) },
            answers: FlowSubmission(
                method: "profile",
                ["traits.a": "0x10", "traits.b": "inf", "traits.c": "nan", "traits.d": "+5"]
            ),
            body: ["method": "profile", "traits": ["a": "0x10", "b": "inf", "c": "nan", "d": 5]]
        ),
        Example(
            testDescription: "text that can't be a code is submitted unchanged",
            nodes: [input("code", group: .code)],
            answers: FlowSubmission(method: "code", ["code": "12345"]),
            body: ["method": "code", "code": "12345"]
        ),
        Example(
            testDescription: "a form doesn't have any methods",
            nodes: [input("accept", .hidden, value: true)],
            answers: FlowSubmission(method: nil),
            body: ["accept": true]
        ),
    ]

    @Test(arguments: examples)
    func `A submission contains the answers and the form's own values`(_ example: Example) {
        let flow = Flow(id: "x", kind: .login, nodes: example.nodes)

        #expect(example.answers.body(for: flow) == example.body)
    }

    @Test func `A code must not appear in errors, neither as it was typed nor as it is submitted`() {
        let flow = Flow(id: "x", kind: .login, nodes: [Self.input("code", group: .code)])
        let secrets = FlowSubmission(method: "code", ["code": "٢٧١-٥٠١"]).secrets(in: flow)

        #expect(Set(secrets) == ["٢٧١-٥٠١", "271501"])
    }

    @Test func `A name with many dots creates at most eight nested objects`() {
        let name = String(repeating: "a.", count: 100) + "a"
        var value: JSONValue? = FlowSubmission(method: nil, [name: "x"])
            .body(for: Flow(id: "x", kind: .login))
        var depth = 0
        while let members = value?.object {
            value = members.values.first
            depth += 1
        }

        #expect(depth == 8)
        #expect(value == "x")
    }

    @Test(
        arguments: [
            (Self.input("method", .submit, group: .password, value: "password"), "password", [:]),
            (Self.input("resend", .submit, group: .code, value: "code"), "code", ["resend": "code"]),
            (
                Self.input("email", .submit, group: .code, value: "a@b.example"), "code",
                ["email": "a@b.example"]
            ),
            (
                Self.input("screen", .submit, group: .profile, value: "previous"), "profile",
                ["screen": "previous"]
            ),
        ] as [(FlowNode, String, [String: JSONValue])]
    )
    func `Pressing a button selects its method`(
        _ button: FlowNode,
        _ method: String,
        _ values: [String: JSONValue]
    ) {
        #expect(FlowSubmission(pressing: button) == FlowSubmission(method: method, values))
    }

    @Test func `Printing answers doesn't reveal their values`() {
        let answers = FlowSubmission(
            method: "password",
            ["password": "correct-Horse-7", "identifier": "user"]
        )
        var dumped = ""
        dump(answers, to: &dumped)

        for text in ["\(answers)", String(reflecting: answers), dumped] {
            #expect(!text.contains("correct-Horse-7"))
            #expect(!text.contains("user"))
        }
        #expect("\(answers)".contains("identifier, password"))
    }
}
