import LatchkeySelfService
import LatchkeyServer
import LatchkeyWire

extension RecordedSetup {
    /// All recordings and their preconditions.
    static let all: [RecordedSetup] = [
        RecordedSetup(name: "login-init"),
        RecordedSetup(name: "login-get"),
        RecordedSetup(
            name: "login-init-with-session",
            people: [person(24_867_798, token: "ory_st_NhEPG0VplKBHS4hrxH8XuFVHRnjmuHqp")]
        ),
        RecordedSetup(name: "login-no-method"),
        RecordedSetup(name: "login-password-missing", people: [person(24_867_707)]),
        RecordedSetup(
            name: "login-password",
            people: [Person(email: "person24867700@example.org", phone: "+19015550101")]
        ),
        RecordedSetup(
            name: "login-wrong-password",
            people: [Person(email: "person24867702@example.org", phone: "+19015550103")]
        ),
        RecordedSetup(
            name: "login-code",
            people: [Person(email: "person24867721@example.org", phone: "+19015550122")],
            rightCodes: ["559192": "+19015550122"]
        ),
        RecordedSetup(
            name: "login-code-sent",
            people: [Person(email: "somebody@example.org", phone: "+19015550120")]
        ),
        RecordedSetup(
            name: "login-code-wrong",
            people: [Person(email: "somebody@example.org", phone: "+19015550124")]
        ),
        RecordedSetup(
            name: "logout",
            people: [person(24_867_799, token: "ory_st_7zFz6crYZYYozH0FMsB4W1OyCUieq4pH")]
        ),
        RecordedSetup(name: "registration-init"),
        RecordedSetup(name: "registration-password"),
        RecordedSetup(name: "registration-bad-traits"),
        RecordedSetup(
            name: "registration-code",
            flows: [
                BegunFlow(
                    id: "b1fda3ff-3359-4536-9190-fffd75894a27",
                    kind: .registration,
                    submitted: [code(["traits": person(24_867_746).traits])]
                )
            ],
            rightCodes: ["333919": "person24867743@example.org", "685666": "person24867746@example.org"]
        ),
        RecordedSetup(name: "registration-two-step", change: { $0.registration.style = .profileFirst }),
        RecordedSetup(
            name: "recovery-code",
            people: [
                Person(email: "person24867764@example.org", phone: "+19015550165"),
                person(24_867_765),
            ],
            flows: [
                BegunFlow(
                    id: "e5ba0a79-1e05-435b-ae61-93b32cdec35e",
                    kind: .recovery,
                    submitted: [code(["email": .string(person(24_867_765).email)])]
                        + Array(repeating: code(["code": .string("000000")]), count: 5)
                )
            ],
            rightCodes: ["183291": "person24867764@example.org"]
        ),
        RecordedSetup(
            name: "sessions-list",
            people: [
                Person(
                    email: "person24867754@example.org",
                    phone: "+19015550155",
                    token: "ory_st_tvNnhrtDRJQHYBR19ZqWMg10wMTxoFVu"
                )
            ]
        ),
        RecordedSetup(
            name: "settings",
            people: [
                Person(
                    email: "person24867845@example.org",
                    phone: "+19075550146",
                    token: "ory_st_mSE6tIN046wzgij3P1LaquP06JBJjQB0"
                ),
                Person(
                    email: "person24867847@example.org",
                    phone: "+19075550148",
                    token: "ory_st_IV2xYfBYJa2qYgns0fMI0n0dcWlKM08O"
                ),
            ],
            waits: [8: .seconds(901)]
        ),
        RecordedSetup(
            name: "verification-code",
            people: [
                Person(
                    email: "person24867767@example.org",
                    phone: "+19015550168",
                    token: "ory_st_SaNF7x0VkRKTmN9dYBNtbariIRuCyxbU"
                )
            ],
            flows: [BegunFlow(id: "99e1238c-e059-44d9-8bcd-1d3a416c60ef", kind: .verification)],
            rightCodes: ["682421": "+19015550168", "910722": "person24867767@example.org"]
        ),
    ]

    private static func person(_ number: Int, token: String? = nil) -> Person {
        Person(
            email: "person\(number)@example.org",
            phone: "+4366612\(String(number).suffix(6))",
            token: token
        )
    }

    private static func code(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.merging(["method": .string("code")]) { own, _ in own })
    }
}
