// swift-tools-version: 6.2
import PackageDescription

// Set by scripts/check. It is off by default, because packages that depend on this one use other compilers,
// too.
let strict: [SwiftSetting] =
    Context.environment["WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
    strict + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatWarning("ExplicitSendable", as: .error),
    ]

// The settings of a new app project: no upcoming features, no stricter diagnostics.
let appSwift6: [SwiftSetting] = [.swiftLanguageMode(.v6), .define("MAIN_ACTOR_ANNOTATIONS")]
let appSwift5: [SwiftSetting] = [.swiftLanguageMode(.v5)]
let appMainActor: [SwiftSetting] = [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]

// Set by scripts/fuzz: SwiftPM cannot link a program with libFuzzer, so clang links it from this library.
let fuzzing: [Product] =
    Context.environment["FUZZING"] == nil
    ? [] : [.library(name: "LatchkeyFuzzing", type: .static, targets: ["FuzzTargets"])]

// The server, the Linux adapters and their C libraries exist only on Linux hosts, so app projects on other hosts do not
// see them. LATCHKEY_SERVER=0 leaves them out on Linux, too; LATCHKEY_SERVER=1 includes them on other hosts.
#if os(Linux)
let hasServer = Context.environment["LATCHKEY_SERVER"] != "0"
#else
let hasServer = Context.environment["LATCHKEY_SERVER"] == "1"
#endif

// The default transport, stores and device keys of `Latchkey` on Linux.
let linuxAdapters =
    hasServer ? ["LatchkeyCurl", "LatchkeyFileStore", "LatchkeySecretService", "LatchkeySoftwareKeys"] : []

let linuxProducts: [Product] = [
    .library(name: "LatchkeyLinux", targets: ["LatchkeyLinux"]),
    .library(name: "LatchkeyServer", targets: ["LatchkeyServer"]),
    .library(name: "LatchkeyTestKit", targets: ["LatchkeyTestKit"]),
    .executable(name: "latchkey", targets: ["LatchkeyCommand"]),
]

// Pure Swift, for all platforms.
let clientTargets: [Target] = [
    // Shared by client and server.
    .target(name: "LatchkeyModel", swiftSettings: settings),
    .target(name: "LatchkeyWire", dependencies: ["LatchkeyModel"], swiftSettings: settings),

    // The transport based on Foundation's URL loading system.
    .target(
        name: "LatchkeyURLSession",
        dependencies: ["LatchkeyModel", "LatchkeyWire"],
        swiftSettings: settings
    ),

    // The client.
    .target(
        name: "LatchkeyCore",
        dependencies: ["LatchkeyModel", "LatchkeyWire"],
        swiftSettings: settings
    ),
    .target(
        name: "Latchkey",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore",
        ] + linuxAdapters.map { .target(name: $0, condition: .when(platforms: [.linux])) },
        swiftSettings: settings
            + (linuxAdapters.isEmpty ? [] : [.define("LINUX_ADAPTERS", .when(platforms: [.linux]))])
    ),
    // Dialogs that render the flows of the server.
    .target(
        name: "LatchkeyTerminal",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "LatchkeyCore"],
        swiftSettings: settings
    ),
    // The overlay for Foundation's URL loading system.
    .target(
        name: "LatchkeyFoundation",
        dependencies: ["LatchkeyWire", "LatchkeyCore", "LatchkeyURLSession", "Latchkey"],
        swiftSettings: settings
    ),
    // For tests of apps: a fake server, a virtual clock, network faults and conformance checks.
    .target(
        name: "LatchkeyTesting",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyTerminal"],
        swiftSettings: settings
    ),
    .target(name: "LatchkeyCompat", dependencies: ["Latchkey"], swiftSettings: settings),
    // The client of the purchase API.
    .target(
        name: "LatchkeyPurchases",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "Latchkey"],
        swiftSettings: settings
    ),
    .target(
        name: "OnsideKit",
        dependencies: [
            "LatchkeyModel", "Latchkey", "LatchkeyTerminal", "LatchkeyCompat", "LatchkeyPurchases",
        ],
        swiftSettings: settings
    ),
    .target(name: "VipasoTypes", dependencies: ["Latchkey", "LatchkeyCompat"], swiftSettings: settings),
    .target(
        name: "VipasoSDK",
        dependencies: ["Latchkey", "LatchkeyCompat", "VipasoTypes"],
        swiftSettings: settings
    ),
    .target(
        name: "VipasoPay",
        dependencies: ["Latchkey", "LatchkeyCompat", "VipasoTypes"],
        swiftSettings: settings
    ),

    // An app that uses the compatibility modules, compiled with three different project settings; the
    // folders are symlinks to Samples/Vipaso.
    .target(
        name: "SampleSwift6",
        dependencies: ["VipasoSDK", "VipasoPay"],
        path: "Samples/Swift6",
        swiftSettings: strict + appSwift6
    ),
    .target(
        name: "SampleSwift5",
        dependencies: ["VipasoSDK", "VipasoPay"],
        path: "Samples/Swift5",
        swiftSettings: strict + appSwift5
    ),
    .target(
        name: "SampleDefaultMainActor",
        dependencies: ["VipasoSDK", "VipasoPay"],
        path: "Samples/DefaultMainActor",
        swiftSettings: strict + appMainActor
    ),

    // The same for OnsideKit; the folders are symlinks to Samples/Onside.
    .target(
        name: "OnsideSampleSwift6",
        dependencies: ["OnsideKit"],
        path: "Samples/OnsideSwift6",
        swiftSettings: strict + appSwift6
    ),
    .target(
        name: "OnsideSampleSwift5",
        dependencies: ["OnsideKit"],
        path: "Samples/OnsideSwift5",
        swiftSettings: strict + appSwift5
    ),
    .target(
        name: "OnsideSampleDefaultMainActor",
        dependencies: ["OnsideKit"],
        path: "Samples/OnsideDefaultMainActor",
        swiftSettings: strict + appMainActor
    ),

    // An example app with its own tests. It uses only the API that other packages can use.
    .target(
        name: "Shop",
        dependencies: ["Latchkey"],
        path: "Examples/Shop/Sources",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),

    // Another one, which sells games and coins on a terminal.
    .target(
        name: "Arcade",
        dependencies: ["LatchkeyTerminal", "OnsideKit"],
        path: "Examples/Arcade/Sources/Arcade",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),

    // The app of the store, in which users approve the logins of the Arcade.
    .target(
        name: "StoreApp",
        dependencies: ["Latchkey", "LatchkeyTerminal"],
        path: "Examples/StoreApp/Sources/StoreApp",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),

    // Spellings of texts that users type, for the tests of all modules that read them.
    .target(name: "TestSpellings", path: "Tests/TestSpellings", swiftSettings: settings),

    // Test targets, which mirror Sources.
    .testTarget(
        name: "LatchkeyModelTests",
        dependencies: ["LatchkeyModel", "TestSpellings"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyWireTests",
        dependencies: ["LatchkeyModel", "LatchkeyWire"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyTestingTests",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "Latchkey", "LatchkeyTesting"],
        swiftSettings: settings
    ),
]

let linuxTargets: [Target] = [
    // Libraries of the operating system.
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CGio", pkgConfig: "glib-2.0"),
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2"),
    .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd"),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
    .systemLibrary(name: "CXCrypt", pkgConfig: "libxcrypt"),
    .target(name: "CCurlShim", dependencies: ["CCurl"]),
    .target(name: "COpenSSLShim", dependencies: ["COpenSSL"]),
    .target(name: "CMicrohttpdShim", dependencies: ["CMicrohttpd"]),
    .target(name: "CProcessShim"),
    .target(
        name: "LatchkeyCrypto",
        dependencies: ["LatchkeyModel", "COpenSSL", "COpenSSLShim"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyCurl",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "CCurl", "CCurlShim"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyFileStore",
        dependencies: ["LatchkeyModel", "LatchkeyCore", "LatchkeyCrypto"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeySecretService",
        dependencies: ["LatchkeyModel", "LatchkeyCore", "LatchkeyFileStore", "CGio"],
        swiftSettings: settings
    ),

    // The user's terminal, browser and desktop.
    .target(
        name: "LatchkeyLinux",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyTerminal", "CGio", "CProcessShim",
        ],
        swiftSettings: settings
    ),

    // Software device keys, for machines without secure hardware.
    .target(
        name: "LatchkeySoftwareKeys",
        dependencies: ["LatchkeyCore", "LatchkeyCrypto"],
        swiftSettings: settings
    ),

    // The server. Modules depend only on modules that are listed before them.
    .target(
        name: "LatchkeyServerKit",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyIDNA",
        dependencies: ["LatchkeyModel", "CIDN2"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyCourier",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyIDNA",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyAccounts",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyIDNA",
            "LatchkeyCourier",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeySelfService",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyIDNA",
            "LatchkeyCourier", "LatchkeyAccounts",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyPages",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyServerKit", "LatchkeyCourier", "LatchkeyAccounts",
            "LatchkeySelfService", "LatchkeyOAuth",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyOAuth",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyCourier",
            "LatchkeyAccounts",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyAdmin",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyCourier",
            "LatchkeyAccounts", "LatchkeySelfService",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyCommerce",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "LatchkeyServerKit", "LatchkeyAccounts"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyMicrohttpd",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyServerKit", "CMicrohttpd", "CMicrohttpdShim",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeySQLite",
        dependencies: ["LatchkeyModel", "LatchkeyServerKit", "CSQLite"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyPostgreSQL",
        dependencies: ["LatchkeyModel", "LatchkeyServerKit", "CPostgreSQL"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeySMTP",
        dependencies: ["LatchkeyModel", "LatchkeyServerKit", "LatchkeyCourier", "CCurl", "CCurlShim"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeySodium",
        dependencies: ["LatchkeyModel", "LatchkeyServerKit", "LatchkeyAccounts", "CSodium"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyBcrypt",
        dependencies: ["LatchkeyModel", "LatchkeyCrypto", "LatchkeyAccounts", "CXCrypt"],
        swiftSettings: settings
    ),
    .target(
        name: "LatchkeyServer",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyCourier",
            "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyPages", "LatchkeyOAuth", "LatchkeyAdmin",
            "LatchkeyCommerce",
            "LatchkeyBcrypt", "LatchkeyMicrohttpd", "LatchkeySQLite", "LatchkeyPostgreSQL",
            "LatchkeySodium", "LatchkeySMTP",
            // The courier sends text messages to a provider over HTTP.
            "LatchkeyCurl",
            "CProcessShim",
        ],
        swiftSettings: settings
    ),

    // For tests of apps and of this package.
    .target(
        name: "LatchkeyTestKit",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyCore", "LatchkeyServerKit",
            "LatchkeyCourier", "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyCommerce",
            "LatchkeyMicrohttpd",
            "LatchkeySQLite", "LatchkeySodium", "LatchkeyBcrypt", "Latchkey", "LatchkeyServer",
            "LatchkeyTesting",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "ShopTests",
        dependencies: ["Shop", "Latchkey", "LatchkeyTestKit"],
        path: "Examples/Shop/Tests",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),

    // A simulated user for demonstrations of the examples.
    .target(
        name: "ExampleDemo",
        dependencies: ["LatchkeyTerminal"],
        path: "Examples/ExampleDemo",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),
    .executableTarget(
        name: "ArcadeCommand",
        dependencies: ["Arcade", "ExampleDemo", "LatchkeyTerminal", "LatchkeyLinux", "OnsideKit"],
        path: "Examples/Arcade/Sources/ArcadeCommand",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),
    .testTarget(
        name: "ArcadeTests",
        dependencies: [
            "Arcade", "LatchkeyModel", "LatchkeyTerminal", "LatchkeyTestKit", "OnsideKit", "TestStore",
        ],
        path: "Examples/Arcade/Tests",
        swiftSettings: strict + appSwift6
    ),
    .executableTarget(
        name: "StoreAppCommand",
        dependencies: ["StoreApp", "Latchkey", "LatchkeyLinux"],
        path: "Examples/StoreApp/Sources/StoreAppCommand",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),
    .executableTarget(
        name: "StoreAppDemo",
        dependencies: ["ExampleDemo", "StoreApp", "Latchkey", "LatchkeyLinux"],
        path: "Examples/StoreApp/Sources/StoreAppDemo",
        packageAccess: false,
        swiftSettings: strict + appSwift6
    ),
    .testTarget(
        name: "StoreAppTests",
        dependencies: [
            "StoreApp", "Latchkey", "LatchkeyLinux", "LatchkeyModel", "LatchkeyTerminal", "LatchkeyTestKit",
            "LatchkeyWire", "TestStore", "TestProcesses", "StoreAppCommand", "ArcadeCommand",
            "LatchkeyCommand",
        ],
        path: "Examples/StoreApp/Tests",
        swiftSettings: strict + appSwift6
    ),

    // The command line.
    .executableTarget(
        name: "LatchkeyCommand",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyFileStore", "Latchkey",
            "LatchkeyTerminal",
            "LatchkeyLinux", "LatchkeySoftwareKeys", "LatchkeyServerKit", "LatchkeyAccounts", "LatchkeyAdmin",
            "LatchkeyCommerce", "LatchkeyServer",
        ],
        swiftSettings: settings
    ),

    // Benchmarks; not a product.
    .executableTarget(
        name: "LatchkeyBenchmark",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyCourier",
            "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyMicrohttpd", "LatchkeySQLite",
            "LatchkeyPostgreSQL", "LatchkeySodium", "LatchkeyCore", "LatchkeyCurl", "Latchkey",
            "LatchkeyServer",
        ],
        path: "Benchmarks/LatchkeyBenchmark",
        swiftSettings: settings
    ),

    // The explorer of the session machine's states; not a product.
    .executableTarget(
        name: "LatchkeyExplorer",
        dependencies: ["LatchkeyTestKit"],
        path: "Benchmarks/LatchkeyExplorer",
        swiftSettings: settings
    ),

    // Programs that tests start.
    .target(name: "TestProcessesShim", path: "Tests/TestProcessesShim"),
    .target(
        name: "TestProcesses",
        dependencies: ["LatchkeyModel", "LatchkeyServerKit", "TestProcessesShim"],
        path: "Tests/TestProcesses",
        swiftSettings: settings
    ),

    // The comparison of responses with the OpenAPI documents that the server publishes.
    .target(
        name: "TestContract",
        dependencies: ["LatchkeyModel", "LatchkeyWire", "LatchkeyServerKit"],
        path: "Tests/TestContract",
        swiftSettings: settings
    ),

    // The databases for tests.
    .target(
        name: "TestDatabases",
        dependencies: [
            "LatchkeyModel", "LatchkeyServerKit", "LatchkeySQLite", "LatchkeyPostgreSQL",
            "LatchkeyServer", "CPostgreSQL", "LatchkeyTestKit", "TestProcesses", "TestContract",
        ],
        path: "Tests/TestDatabases",
        swiftSettings: settings
    ),

    // A server with a catalog, and apps that buy from it.
    .target(
        name: "TestStore",
        dependencies: [
            "LatchkeyAccounts", "LatchkeyCommerce", "LatchkeySelfService", "LatchkeyServer",
            "LatchkeyServerKit",
            "LatchkeyModel", "LatchkeyWire", "Latchkey", "LatchkeyPurchases", "LatchkeyTestKit", "OnsideKit",
        ],
        path: "Tests/TestStore",
        exclude: ["catalog.json5"],
        swiftSettings: settings
    ),

    // The fuzz targets for parsers of untrusted input, used by the fuzzer and by the replay of its
    // corpus.
    .target(
        name: "FuzzTargets",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyCrypto", "LatchkeyServerKit",
            "LatchkeyCourier", "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyOAuth",
            "LatchkeyAdmin", "LatchkeyCommerce", "LatchkeyMicrohttpd", "LatchkeyServer",
        ],
        path: "Tests/FuzzTargets",
        swiftSettings: settings
    ),
    .testTarget(
        name: "FuzzTests",
        dependencies: ["FuzzTargets"],
        resources: [.copy("Corpus")],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyCryptoTests",
        dependencies: ["LatchkeyModel", "LatchkeyCrypto", "COpenSSL", "TestProcesses"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyFileStoreTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyCore", "LatchkeyFileStore", "LatchkeyTestKit", "TestProcesses",
            "StoreProbe",
        ],
        resources: [.copy("Formats")],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "StoreProbe",
        dependencies: ["LatchkeyCore", "LatchkeyFileStore", "LatchkeySecretService"],
        path: "Tests/StoreProbe",
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeySecretServiceTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyCore", "LatchkeyFileStore", "LatchkeySecretService",
            "LatchkeyTestKit", "TestProcesses", "StoreProbe",
        ],
        resources: [.copy("Formats")],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeySoftwareKeysTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyCrypto", "LatchkeySoftwareKeys",
            "LatchkeyTesting", "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyCurlTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyCurl", "LatchkeyServerKit",
            "LatchkeyMicrohttpd", "LatchkeyTestKit", "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyURLSessionTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyURLSession", "LatchkeyTestKit", "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyFoundationTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "Latchkey", "LatchkeyFoundation", "LatchkeyTestKit",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyCoreTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyTesting", "LatchkeyTestKit",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyMicrohttpdTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyServerKit", "LatchkeyAccounts",
            "LatchkeyMicrohttpd",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeySQLiteTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyServerKit", "LatchkeySQLite", "LatchkeyServer", "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyPostgreSQLTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyServerKit", "LatchkeyCourier", "LatchkeyPostgreSQL",
            "LatchkeyServer", "TestProcesses", "TestDatabases",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeySMTPTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyCourier", "LatchkeyAccounts", "LatchkeySMTP", "LatchkeyTestKit",
            "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyBcryptTests",
        dependencies: ["LatchkeyModel", "LatchkeyAccounts", "LatchkeyBcrypt"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeySodiumTests",
        dependencies: ["LatchkeyModel", "LatchkeyAccounts", "LatchkeySodium", "TestSpellings"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyPagesTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCourier", "LatchkeyAccounts", "LatchkeySelfService",
            "LatchkeyPages",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "ServerModuleTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyCore", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit",
            "LatchkeyCourier", "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyOAuth", "LatchkeyAdmin",
            "LatchkeyCommerce", "LatchkeySQLite", "LatchkeyMicrohttpd", "LatchkeyServer", "LatchkeyTestKit",
            "TestProcesses", "TestDatabases", "TestContract", "TestSpellings",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyServerTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyServerKit", "LatchkeyCourier",
            "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyOAuth", "LatchkeyAdmin", "LatchkeyCommerce",
            "LatchkeyServer", "LatchkeySQLite", "LatchkeyPostgreSQL", "LatchkeyCore", "LatchkeyCurl",
            "Latchkey", "LatchkeyLinux", "LatchkeyCommand",
            "LatchkeyTestKit", "TestProcesses", "TestDatabases", "TestContract", "SessionProbe",
        ],
        resources: [.copy("Fixtures")],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyTestKitTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyCurl", "LatchkeyServerKit",
            "LatchkeyCourier", "LatchkeyAccounts", "Latchkey", "LatchkeyTestKit", "TestDatabases",
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "SessionProbe",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyCurl", "LatchkeyFileStore",
            "Latchkey", "LatchkeyPurchases",
        ],
        path: "Tests/SessionProbe",
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyCore", "Latchkey",
            "LatchkeyServerKit", "LatchkeyCourier", "LatchkeyAccounts", "LatchkeySelfService",
            "LatchkeyServer",
            "LatchkeyTerminal", "LatchkeyTestKit", "LatchkeyCommand", "LatchkeyCurl", "LatchkeySQLite",
            "LatchkeyPostgreSQL", "TestProcesses", "TestDatabases", "TestSpellings", "SessionProbe",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyTerminalTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "LatchkeyTerminal", "LatchkeyLinux",
            "LatchkeyTesting",
            "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyCompatTests",
        dependencies: ["LatchkeyModel", "LatchkeyCore", "LatchkeyCompat", "LatchkeyTestKit"],
        swiftSettings: settings
    ),
    .testTarget(
        name: "VipasoTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "Latchkey", "VipasoSDK", "VipasoPay",
            "VipasoTypes", "SampleSwift6", "SampleSwift5", "SampleDefaultMainActor", "TestDatabases",
            "LatchkeyTestKit", "TestSpellings", "TestStore",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyPurchasesTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "Latchkey", "LatchkeyPurchases", "LatchkeyTestKit", "TestStore",
            "TestProcesses",
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "OnsideProbe",
        dependencies: [
            "LatchkeyModel", "Latchkey", "LatchkeyPurchases", "LatchkeyTesting", "OnsideKit", "LatchkeyCore",
            "LatchkeyCrypto", "LatchkeyWire",
        ],
        path: "Tests/OnsideProbe",
        swiftSettings: settings
    ),
    .testTarget(
        name: "OnsideKitTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyWire", "LatchkeyCore", "Latchkey", "LatchkeyTestKit", "OnsideKit",
            "OnsideSampleSwift6", "OnsideSampleSwift5", "OnsideSampleDefaultMainActor", "TestDatabases",
            "TestStore", "TestProcesses", "OnsideProbe",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "LatchkeyCommandTests",
        dependencies: [
            "LatchkeyModel", "LatchkeyServerKit", "LatchkeyWire", "LatchkeyCrypto", "LatchkeyCore",
            "LatchkeyCurl", "LatchkeyAccounts", "LatchkeySelfService", "LatchkeyCommand",
            "LatchkeyMicrohttpd", "LatchkeyServer", "LatchkeyTestKit", "TestProcesses", "TestSpellings",
        ],
        swiftSettings: settings
    ),
]

let package = Package(
    name: "latchkey",
    platforms: [
        .macOS(.v13), .iOS(.v16), .macCatalyst(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1),
    ],
    products: [
        .library(name: "Latchkey", targets: ["Latchkey"]),
        .library(name: "LatchkeyTerminal", targets: ["LatchkeyTerminal"]),
        .library(name: "LatchkeyFoundation", targets: ["LatchkeyFoundation"]),
        .library(name: "LatchkeyPurchases", targets: ["LatchkeyPurchases"]),
        .library(name: "OnsideKit", targets: ["OnsideKit"]),
        .library(name: "LatchkeyTesting", targets: ["LatchkeyTesting"]),
        .library(name: "VipasoSDK", targets: ["VipasoSDK"]),
        .library(name: "VipasoPay", targets: ["VipasoPay"]),
    ] + (hasServer ? linuxProducts + fuzzing : []),
    targets: clientTargets + (hasServer ? linuxTargets : [])
)
