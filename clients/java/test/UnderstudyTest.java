package understudy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import understudy.Understudy.APIException;
import understudy.Understudy.NoEventError;
import understudy.Understudy.ReceivedEvent;
import understudy.Understudy.Receiver;
import understudy.Understudy.Sandbox;
import understudy.Understudy.Tenant;

/** Tests of the client, on a real server. */
@ExtendWith(Understudy.class)
@Execution(ExecutionMode.CONCURRENT)
class UnderstudyTest {
  private static final String LETTER = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n";
  private static final String STATUS = "GET /universal/v2/universal-submit/status/{tx_id}";
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private Tenant prepared;

  @BeforeEach
  void prepare(Tenant tenant) {
    prepared = tenant;
  }

  @RepeatedTest(50)
  void fiftyTests(Tenant tenant, RepetitionInfo repetition) {
    String want = repetition.getCurrentRepetition() % 2 == 0 ? "Completed" : "Failed";
    Receiver receiver = tenant.receiver("universal_submit");
    tenant.outcome("letter*", Map.of("status", want));
    String txId = tenant.submit("letter.txt", LETTER);
    tenant.advance(MINUTE);
    assertEquals(want, tenant.status(txId));
    ReceivedEvent received = receiver.wait("universal_submit:" + want.toLowerCase());
    assertEquals(txId, ((Map<?, ?>) received.data()).get("tx_id"));
    tenant.assertNoFindings();
  }

  @Test
  void testsHaveOneTenantAndShareTheServer(Tenant tenant, Sandbox sandbox) {
    assertSame(prepared, tenant);
    assertSame(sandbox, tenant.sandbox);
    assertSame(sandbox, Sandbox.shared());
  }

  @Test
  void submissionCompletes(Tenant tenant) {
    tenant.settings(Map.of("pacing", Map.of("mode", "immediate")));
    String filename = "Schadenübersicht \"2026\".txt";
    String txId = tenant.submit(filename, LETTER);
    assertEquals("Completed", tenant.wait(txId));
    Map<?, ?> data = (Map<?, ?>) tenant.inquiry(txId).get("data");
    assertEquals("Foxglove Bakery LLC", ((Map<?, ?>) data.get("facts")).get("company_name"));
    assertInstanceOf(List.class, tenant.inquiry(txId, tenant.locationPackageId, 2).get("data"));
    assertEquals(filename, ((Map<?, ?>) tenant.control("GET", "/transactions/" + txId, null)).get("filename"));
  }

  @Test
  void clock(Tenant tenant) {
    tenant.freeze();
    tenant.setClock(tenant.now().plus(Duration.ofDays(1)));
    assertEquals(tenant.now(), tenant.now());
    tenant.outcome("broken.*", Map.of("status", "Failed", "after", Duration.ofSeconds(5)));
    String txId = tenant.submit("broken.txt", LETTER);
    NoEventError error = assertThrows(NoEventError.class, () -> tenant.wait(txId, Duration.ZERO));
    assertTrue(error.getMessage().contains("its status is Submission_in_progress"), error.getMessage());
    tenant.unfreeze();
    List<Map<String, Object>> effects = tenant.advance(MINUTE);
    assertTrue(effects.stream().anyMatch(e -> "Failed".equals(e.get("status"))), effects.toString());
    assertEquals("Failed", tenant.wait(txId));
  }

  @Test
  void fault(Tenant tenant) {
    String txId = tenant.submit("letter.txt", LETTER);
    tenant.fault(STATUS, Map.of("status", 503, "times", 1));
    assertEquals(503, assertThrows(APIException.class, () -> tenant.status(txId)).status);
    assertNotEquals("", tenant.status(txId));
    assertEquals(2, tenant.requests(Map.of("route", STATUS)).size());
    assertEquals(1, tenant.requests(Map.of("status", "5xx")).size());
  }

  @Test
  void tokenExpires(Tenant tenant) {
    String txId = tenant.submit("letter.txt", LETTER);
    String token = tenant.token();
    tenant.advance(Duration.ofHours(13));
    for (int i = 0; i < 3; i++) {
      assertEquals(401, assertThrows(APIException.class, () -> tenant.status(txId, token)).status);
    }
    assertEquals("Completed", tenant.status(txId)); // with a new token
    assertFalse(tenant.findings().isEmpty());
    AssertionError error = assertThrows(AssertionError.class, tenant::assertNoFindings);
    assertTrue(error.getMessage().startsWith("findings about the clients of tenant " + tenant.name), error.getMessage());
  }

  @Test
  void errorsHaveStatusMessageAndHint(Tenant tenant) {
    APIException error = assertThrows(APIException.class, () -> tenant.status("01a2026c-9509-7364-8e1b-88a841bf7f26"));
    assertEquals(404, error.status);
    assertEquals("Transaction not found", error.apiMessage);
    assertTrue(error.hint.contains("use the tx_id of the file-upload-url response"), error.hint);
    assertTrue(error.getMessage().endsWith(error.hint), error.getMessage());
  }

  @Test
  void awaitEvent(Tenant tenant) {
    Duration timeout = Duration.ofMillis(200);
    NoEventError error = assertThrows(NoEventError.class, () -> tenant.awaitEvent("universal_submit:completed", null, timeout, null));
    assertTrue(error.getMessage().startsWith("no event universal_submit:completed within 0.2 s; events seen instead:"), error.getMessage());
    CompletableFuture<Map<String, Object>> waiting =
        CompletableFuture.supplyAsync(() -> tenant.awaitEvent("universal_submit:completed", null, MINUTE, null));
    String txId = tenant.submit("letter.txt", LETTER);
    tenant.advance(MINUTE);
    assertEquals(txId, waiting.join().get("tx_id"));
    String cursor = (String) waiting.join().get("cursor");
    assertThrows(NoEventError.class, () -> tenant.awaitEvent("universal_submit", txId, Duration.ZERO, cursor));
  }

  @Test
  void receiverRefusesLargeBodies(Tenant tenant) throws Exception {
    Receiver receiver = tenant.receiver();
    java.net.http.HttpRequest request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(receiver.url))
        .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(new byte[(64 << 20) + 1])).build();
    assertEquals(413, java.net.http.HttpClient.newHttpClient().send(request, java.net.http.HttpResponse.BodyHandlers.discarding()).statusCode());
    assertEquals(List.of(), receiver.rejected());
  }

  @Test
  void receiver(Tenant tenant) {
    Receiver receiver = tenant.receiver();
    tenant.fault(Map.of("delivery", "*", "wrong_signature", true, "times", 1));
    tenant.event("hook:test", Map.of("text", "\"ü\\\n"));
    tenant.awaitEvent("delivery");
    assertEquals(List.of(401), receiver.rejected().stream().map(ReceivedEvent::status).toList());
    assertEquals(List.of(), receiver.events());
    receiver.respond(204);
    tenant.advance(MINUTE);
    ReceivedEvent received = receiver.wait("hook");
    assertEquals(204, received.status());
    assertEquals(Map.of("text", "\"ü\\\n"), received.data());
    assertThrows(NoEventError.class, () -> receiver.wait("*", Duration.ZERO)); // it has been returned
    assertEquals("delivered", tenant.deliveries().get(0).get("state"));
    receiver.close();
    assertEquals(0L, tenant.event("hook:test").get("subscriptions"));
  }

  @Test
  void tenantIsDeleted(Sandbox sandbox) {
    try (Tenant tenant = sandbox.tenant(Map.of("permissions", List.of("::data/v2:get"), "settings", Map.of("rate_limit", 7)))) {
      assertEquals(403, assertThrows(APIException.class, () -> tenant.submit("letter.txt", LETTER)).status);
      tenant.reset();
      tenant.delete();
      assertEquals(404, assertThrows(APIException.class, tenant::now).status);
    }
  }

  @Test
  void runningServerIsFound(Sandbox sandbox) {
    assertEquals(sandbox.apiUrl, Sandbox.connect(sandbox.controlUrl + "/", "", "").apiUrl);
    assertThrows(UncheckedIOException.class, () -> Sandbox.connect("http://127.0.0.1:1", "", ""));
  }
}
