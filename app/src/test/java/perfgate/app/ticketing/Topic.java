package perfgate.app.ticketing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import perfgate.app.Services;
import tools.jackson.databind.json.JsonMapper;

/** Reads the payment events from the broker. */
final class Topic {

    private Topic() {}

    static List<Long> payments() {
        return records().stream()
                .map(event -> JsonMapper.shared()
                        .readTree(event.value())
                        .get("paymentId")
                        .asLong())
                .toList();
    }

    /** All records that the topic holds now, in order. */
    static List<ConsumerRecord<String, String>> records() {
        Map<String, Object> properties =
                Map.of("bootstrap.servers", Services.running().brokers());
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            List<PartitionInfo> partitions = consumer.listTopics().getOrDefault(SeatPaid.TOPIC, List.of());
            List<TopicPartition> topic = partitions.stream()
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(topic);
            consumer.seekToBeginning(topic);
            long end = consumer.endOffsets(topic).values().stream()
                    .mapToLong(offset -> offset)
                    .sum();
            while (records.size() < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
            }
        }
        return records;
    }
}
